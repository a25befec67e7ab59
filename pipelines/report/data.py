"""What the report says, asked of the day's own catalogue. Nothing here knows how it will look."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import duckdb

from pipelines.house_time import on_house_clock
from pipelines.night.context import Night
from pipelines.night.currencies import Currencies, currencies_of
from pipelines.night.summary import SEVERITIES, NightSummary
from pipelines.warehouse.sql_text import literal

Row = dict[str, Any]

_COUNTS = ", ".join(f"count(*) FILTER (severity = '{s}') AS {s}" for s in SEVERITIES)
_MONEY = """
coalesce(sum(too_much) FILTER (severity = 'money'), 0)::BIGINT AS overpaid,
coalesce(sum(too_little) FILTER (severity = 'money'), 0)::BIGINT AS underpaid"""
_ORDER = "ORDER BY money_findings DESC, overpaid + underpaid DESC, n DESC, what"
MOST_ROWS = 40


def _sums(names: str) -> str:
    return ", ".join(f"coalesce(sum({n}), 0)::BIGINT AS {n}" for n in names.split())


@dataclass(frozen=True, slots=True)
class Grouped:
    """Findings counted by one thing: the rows shown, and how many more there are."""

    title: str
    rows: list[Row]
    more: int = 0


@dataclass(slots=True)
class Facts:
    """The day as the page, the table and the summary tell it."""

    totals: Row
    summary: NightSummary
    hours: list[Row]
    groups: list[Grouped]
    voids: list[Row]
    irregularities: list[Row]
    rulings: list[Row]
    quality: list[Row]
    integrity: Row
    waivers: list[Row]
    several: bool  # currencies: money is told of each by itself
    worst: list[Row] = field(default_factory=list)


class DayQuestions:
    """Questions to one day's catalogue."""

    def __init__(self, db: duckdb.DuckDBPyConnection, night: Night) -> None:
        self._db, self._night = db, night
        self.currencies: Currencies = currencies_of(night)
        tables = self.currencies.tables
        db.execute("CREATE TEMP TABLE currency_now (table_id VARCHAR, currency VARCHAR)")
        if tables:
            db.executemany("INSERT INTO currency_now VALUES (?, ?)", list(tables.items()))
        self._currency = f"coalesce(currency_now.currency, {literal(self.currencies.rest)})"

    def rows(self, sql: str) -> list[Row]:
        answer = self._db.execute(sql)
        names = [d[0] for d in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def one(self, sql: str) -> Row:
        return self.rows(sql)[0]

    def totals(self) -> Row:
        """Over all tables; money of several currencies only by currency."""
        numbers, money = "rounds settled void incomplete unreplayable lines", "stake due paid"
        out = self.one(
            "SELECT count(DISTINCT table_id) FILTER (rounds > 0) AS tables, "
            f"{_sums(numbers)}, {_sums(money)} FROM figures_now"
        )
        split = self.rows(
            f"SELECT {self._currency} AS currency, {_sums(money)} FROM figures_now "
            "LEFT JOIN currency_now USING (table_id) GROUP BY 1 "
            f"HAVING sum(rounds) > 0 ORDER BY 1"
        )
        out["by_currency"] = {row.pop("currency"): row for row in split}
        return out | (dict.fromkeys(money.split()) if self.currencies.several else {})

    def _by_currency(self, rows: list[Row], key: str, what: str) -> None:
        """Where there are several currencies, each row's money by itself: of a row with more than
        one of them there is no sum."""
        if not self.currencies.several:
            return
        split: dict[Any, Row] = {}
        for row in self.rows(
            f"SELECT {what} AS what, {self._currency} AS currency, {_MONEY} "
            "FROM findings LEFT JOIN currency_now USING (table_id) "
            "WHERE severity = 'money' GROUP BY 1, 2 ORDER BY 2"
        ):
            name = row.pop("what")
            split.setdefault(name, {})[row.pop("currency")] = row
        for row in rows:
            row["by_currency"] = split.get(row[key], {})
            if len(row["by_currency"]) > 1:
                row["overpaid"] = row["underpaid"] = None

    def hours(self) -> list[Row]:
        """Rounds and findings, hour by hour of the gaming day; local time as its label."""
        start = self._night.settings.gaming_day.start_of(self._night.day)
        end = self._night.settings.gaming_day.end_of(self._night.day)
        first = int(start.timestamp()) * 1_000_000
        hour = f"((epoch_us(seen_at) - {first}) // 3600000000)::INTEGER"
        rounds = self.rows(f"SELECT {hour} AS h, count(*) AS n FROM rounds GROUP BY h")
        found = self.rows(f"SELECT {hour} AS h, {_COUNTS}, {_MONEY} FROM findings GROUP BY h")
        self._by_currency(found, "h", hour)
        played = {r["h"]: r["n"] for r in rounds}
        told = {r["h"]: r for r in found}
        nothing: Row = dict.fromkeys((*SEVERITIES, "overpaid", "underpaid"), 0)
        nothing |= {"by_currency": {}} if self.currencies.several else {}
        return [
            {
                "hour": self._label(start + timedelta(hours=h)),
                "rounds": played.get(h, 0),
                **(told.get(h) or nothing),
            }
            for h in range(round((end - start) / timedelta(hours=1)))
        ]

    def _label(self, at: datetime) -> str:
        return f"{on_house_clock(at, self._night.settings.timezone):%H:%M}"

    def grouped(self, title: str, what: str, rest: str = "none") -> Grouped:
        found = self.rows(
            f"SELECT coalesce({what}, '{rest}') AS what, count(*) AS n, {_COUNTS}, "
            f"count(*) FILTER (severity = 'money') AS money_findings, "
            f"count(*) FILTER (waiver IS NOT NULL) AS waived, {_MONEY} "
            f"FROM findings GROUP BY 1 {_ORDER}"
        )
        self._by_currency(found, "what", f"coalesce({what}, '{rest}')")
        return Grouped(title, found[:MOST_ROWS], max(len(found) - MOST_ROWS, 0))

    def by_hour(self) -> Grouped:
        rows = []
        for h in self.hours():
            n = sum(h[s] for s in SEVERITIES)
            if n:
                rows.append(
                    {"what": h["hour"], "n": n, "waived": 0, "money_findings": h["money"], **h}
                )
        return Grouped("hour", rows)

    def voids(self) -> list[Row]:
        return self.rows(
            "SELECT r.rulebook, coalesce(r.void_clause, r.declared_void) AS clause, "
            "any_value(c.gist) AS gist, count(*) FILTER (r.status = 'void') AS void, "
            "count(*) FILTER (r.declared_void IS NOT NULL) AS declared, "
            "count(*) FILTER (r.status = 'void' AND r.declared_void IS NULL) AS missed "
            "FROM rounds r LEFT JOIN clauses c ON c.rulebook = r.rulebook "
            "AND c.number = coalesce(r.void_clause, r.declared_void) "
            "WHERE r.status = 'void' OR r.declared_void IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"
        )

    def irregularities(self) -> list[Row]:
        return self.rows(
            "SELECT kind, count(*) AS n, count(DISTINCT table_id) AS tables, "
            "count(DISTINCT round) AS rounds FROM irregularities "
            "WHERE type = 'IrregularityNoted' GROUP BY kind ORDER BY n DESC, kind"
        )

    def rulings(self) -> list[Row]:
        return self.rows(
            "SELECT ruling, noted_by, count(*) AS n FROM irregularities "
            "WHERE type = 'RulingMade' GROUP BY ALL ORDER BY n DESC, ruling, noted_by"
        )

    def integrity(self) -> Row:
        """How many tables have a whole record, and what is wrong with the others."""
        sent = set(self._night.state()["pinned"]["tables"])
        broken = self.rows(
            "SELECT table_id AS what, count(*) AS n, "
            "string_agg(DISTINCT kind, ', ' ORDER BY kind) AS kinds FROM findings "
            "WHERE severity = 'integrity' AND table_id IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1"
        )
        nobody = self.one(
            "SELECT count(*) AS n FROM findings WHERE severity = 'integrity' AND table_id IS NULL"
        )["n"]
        whole = len(sent - {row["what"] for row in broken})
        silent = self.one("SELECT count(*) AS n FROM findings WHERE kind = 'silent_table'")["n"]
        return {
            "tables": len(sent),
            "whole": whole,
            "silent": silent,
            "broken": broken,
            "nobody": nobody,
        }
