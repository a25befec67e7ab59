"""The morning of a day: what happened, how much, who and where, what changed, what to do now.

The desk and the night's report ask the same questions here, over the same names (asking.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from pipelines.night.summary import SEVERITIES
from pipelines.pages.rates import FEW, Rate, rate, sure_among
from pipelines.report.asking import OPEN, STATE, WAIVER, WITH_CASES, Asking, Row
from pipelines.report.kinds import kind_words
from pipelines.warehouse.changes import AROUND_CHANGED, Changes

STRIP_DAYS = 30
TO_DO = 9
SHOWN_OUT = 3
ERRORS = "severity IN ('money', 'procedure') AND round IS NOT NULL"
"""Findings that the way a table was dealt explains, as far as the rates go."""


@dataclass(frozen=True, slots=True)
class StandsOut:
    """A table, dealer or game with its rate, and whether chance alone hardly explains it."""

    name: str
    rate: Rate
    beyond: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everybody of one kind compared: those with the most, how many there are, the house's rate."""

    what: str
    compared: int
    out: list[StandsOut]
    house: Rate

    @property
    def beyond(self) -> int:
        return sum(one.beyond for one in self.out)

    @property
    def shown(self) -> list[StandsOut]:
        """Those beyond chance, at least the first few."""
        return self.out[: max(SHOWN_OUT, min(self.beyond, 2 * SHOWN_OUT))]


def money_of(ask: Asking, day: date) -> list[Row]:
    """Each currency by itself. Waived money is told apart and stays in the totals."""
    return ask.rows(
        f"""
WITH played AS (
    SELECT currency, sum(rounds) AS rounds, sum(stake)::BIGINT AS stake, sum(due)::BIGINT AS due,
           sum(paid)::BIGINT AS paid FROM daily_figures WHERE day = $day GROUP BY 1),
of_table AS (SELECT DISTINCT table_id, currency FROM daily_figures WHERE day = $day),
wrong AS (
    SELECT t.currency, sum(too_much)::BIGINT AS too_much, sum(too_little)::BIGINT AS too_little,
           sum(too_much) FILTER (waived)::BIGINT AS waived_much,
           sum(too_little) FILTER (waived)::BIGINT AS waived_little
    FROM (SELECT table_id, too_much, too_little,
                 {WAIVER} IS NOT NULL AS waived
          FROM {WITH_CASES} WHERE day = $day AND severity = 'money') f
    LEFT JOIN of_table t USING (table_id) GROUP BY 1)
SELECT coalesce(p.currency, w.currency) AS currency, coalesce(p.stake, 0) AS stake,
       coalesce(p.due, 0) AS due, coalesce(p.paid, 0) AS paid,
       coalesce(too_much, 0) AS too_much, coalesce(too_little, 0) AS too_little,
       coalesce(waived_much, 0) AS waived_much, coalesce(waived_little, 0) AS waived_little
FROM played p FULL JOIN wrong w ON p.currency IS NOT DISTINCT FROM w.currency
WHERE coalesce(p.rounds, 0) > 0 OR too_much > 0 OR too_little > 0
ORDER BY stake DESC, currency NULLS LAST""",
        {"day": day},
    )


def played(ask: Asking, day: date) -> Row:
    sums = ", ".join(
        f"coalesce(sum({n}), 0)::BIGINT AS {n}"
        for n in ("rounds", "settled", "void", "incomplete", "unreplayable", "lines")
    )
    found = ask.one(
        f"SELECT count(DISTINCT table_id) FILTER (rounds > 0) AS tables, {sums} "
        "FROM daily_figures WHERE day = ?",
        [day],
    )
    return found or {}


def counted(ask: Asking, day: date) -> dict[str, Row]:
    """Findings of the day by severity: all of them, open and waived."""
    found = ask.rows(
        f"SELECT severity, count(*) AS n, count(*) FILTER ({OPEN}) AS open, "
        f"count(*) FILTER ({WAIVER} IS NOT NULL) AS waived "
        f"FROM {WITH_CASES} WHERE day = ? GROUP BY 1",
        [day],
    )
    by = {row["severity"]: row for row in found}
    return {s: by.get(s, {"severity": s, "n": 0, "open": 0, "waived": 0}) for s in SEVERITIES}


def silent(ask: Asking, day: date) -> list[Row]:
    return ask.rows(
        "SELECT id, table_id, message FROM findings WHERE day = ? AND kind = 'silent_table' "
        "ORDER BY table_id",
        [day],
    )


def by_kind(ask: Asking, day: date) -> list[Row]:
    """Kinds of the day in plain words, the most urgent first."""
    found = ask.rows(
        f"SELECT kind, severity, count(*) AS n, count(*) FILTER ({OPEN}) AS open, "
        "coalesce(sum(too_much), 0)::BIGINT AS too_much, "
        "coalesce(sum(too_little), 0)::BIGINT AS too_little "
        f"FROM {WITH_CASES} WHERE day = ? GROUP BY ALL",
        [day],
    )
    for row in found:
        row["words"] = kind_words(row["kind"])
    rank = {s: n for n, s in enumerate(SEVERITIES)}
    return sorted(found, key=lambda r: (rank[r["severity"]], -r["n"], r["kind"]))


def strip(ask: Asking, day: date) -> list[Row]:
    """The last thirty days, with gaps where no day was published."""
    first = day - timedelta(days=STRIP_DAYS - 1)
    found = ask.rows(
        "SELECT day, sum(rounds)::BIGINT AS rounds, sum(findings)::BIGINT AS findings, "
        "sum(overpaid)::BIGINT AS too_much, sum(underpaid)::BIGINT AS too_little "
        "FROM daily_figures WHERE day BETWEEN ? AND ? GROUP BY 1",
        [first, day],
    )
    by = {row["day"]: row for row in found}
    days = [first + timedelta(days=n) for n in range(STRIP_DAYS)]
    return [by.get(one) or {"day": one, "rounds": None} for one in days]


def carried(ask: Asking, day: date) -> Row:
    """Findings of earlier days about which somebody still has to do something."""
    found = ask.one(
        f"SELECT count(*) AS n, min(day) AS oldest, count(DISTINCT day) AS days FROM {WITH_CASES} "
        f"WHERE day < ? AND severity IN ('money', 'integrity') AND {OPEN}",
        [day],
    )
    return found or {"n": 0, "oldest": None, "days": 0}


def gone(ask: Asking, day: date) -> list[Row]:
    """Findings of the day that an earlier run had, and why they are gone."""
    return ask.rows(
        "SELECT id, kind, table_id, round, why, noted_at, run FROM finding_history "
        "WHERE day = ? QUALIFY row_number() OVER (PARTITION BY id ORDER BY noted_at DESC) = 1 "
        "AND change = 'gone' ORDER BY severity = 'money' DESC, id",
        [day],
    )


def gone_now(changes: Changes, before: list[Row], here: Collection[str]) -> list[Row]:
    """The same for a run that is not noted in the history yet."""
    why = changes.reasons or [AROUND_CHANGED]
    lost = [one | {"why": why} for one in changes.lost]
    known = {one["id"] for one in lost} | set(here)
    return lost + [one for one in before if one["id"] not in known]


def to_do(ask: Asking, day: date) -> list[Row]:
    """Open findings of this day and before, by money and age."""
    found = ask.rows(
        f"SELECT f.id, f.day, f.kind, f.severity, f.table_id, f.round, f.money, f.player, "
        f"f.message, f.too_much, f.too_little, {STATE} AS state, c.assignee, c.due, d.currency, "
        f"coalesce(f.too_much, 0) + coalesce(f.too_little, 0) AS moved FROM {WITH_CASES} "
        "LEFT JOIN (SELECT day, table_id, any_value(currency) AS currency FROM daily_figures "
        "GROUP BY ALL) d ON d.day = f.day AND d.table_id = f.table_id "
        f"WHERE f.day <= $day AND f.severity IN ('money', 'integrity', 'judgement') AND {OPEN} "
        "ORDER BY c.due NULLS LAST, f.kind = 'silent_table' AND f.day = $day DESC, "
        "f.severity IN ('integrity', 'money') DESC, moved DESC, f.day, f.id "
        f"LIMIT {TO_DO}",
        {"day": day},
    )
    for row in found:
        row["age"] = (day - row["day"]).days
        row["words"] = kind_words(row["kind"])
    return found


def stand_out(ask: Asking, day: date) -> list[Comparison]:
    """Who had more rounds with findings than the rest of the house, beyond chance."""
    wrong = f"SELECT {{0}} AS name, count(DISTINCT round) AS hits FROM findings WHERE day = $day AND {ERRORS} GROUP BY 1"  # noqa: E501 - one question
    sides = (
        ("tables", "table_id", "daily_figures"),
        ("dealers", "dealer", "dealer_figures"),
        ("games", "rulebook", "daily_figures"),
    )
    out = []
    for what, column, source in sides:
        rows = ask.rows(
            f"SELECT p.name, p.rounds, coalesce(w.hits, 0) AS hits FROM (SELECT {column} AS name, "
            f"sum(rounds)::BIGINT AS rounds FROM {source} WHERE day = $day AND rounds > 0 "
            f"GROUP BY 1) p LEFT JOIN ({wrong.format(column)}) w USING (name)",
            {"day": day},
        )
        out.append(compared(what, [(r["name"], r["hits"], r["rounds"]) for r in rows]))
    return out


def compared(what: str, rows: Sequence[tuple[str, int, int]]) -> Comparison:
    """Each against all the others, with an interval that allows for how many are compared."""
    house = rate(sum(hits for _, hits, _ in rows), sum(rounds for *_, rounds in rows))
    sure, found = sure_among(len(rows)), []
    for name, hits, rounds in rows:
        rest = rate(house.hits - hits, house.rounds - rounds)
        one = rate(hits, rounds, sure)
        beyond = bool(rest.rounds) and rounds >= FEW // 10 and one.low > rest.high
        if hits:
            found.append(StandsOut(name, rate(hits, rounds), beyond))
    found.sort(key=lambda s: (not s.beyond, -s.rate.low, s.name))
    return Comparison(what, len(rows), found, house)


def all_findings(ask: Asking, day: date) -> list[Row]:
    """Every finding of the day: open ones first, by severity and money."""
    rank = (
        "CASE f.severity "
        + " ".join(f"WHEN '{s}' THEN {n}" for n, s in enumerate(SEVERITIES))
        + " END"
    )
    found = ask.rows(
        f"SELECT f.id, f.kind, f.severity, f.table_id, f.round, f.box, f.player, f.bet, f.money, "
        f"f.too_much, f.too_little, f.message, f.dealer, {STATE} AS state, {OPEN} AS open, "
        f"{WAIVER} AS waiver, c.assignee, d.currency FROM {WITH_CASES} "
        "LEFT JOIN (SELECT table_id, any_value(currency) AS currency FROM daily_figures "
        "WHERE day = $day GROUP BY 1) d ON d.table_id = f.table_id WHERE f.day = $day "
        f"ORDER BY open DESC, {rank}, "
        "coalesce(f.too_much, 0) + coalesce(f.too_little, 0) DESC, f.table_id, f.id",
        {"day": day},
    )
    for row in found:
        row["name"] = kind_words(row["kind"]).name
    return found


def day_before(ask: Asking, day: date) -> date | None:
    """The day before this one of which there are figures."""
    found: date | None = ask.value("SELECT max(day) FROM daily_figures WHERE day < ?", [day])
    return found


def morning(ask: Asking, day: date, before: date | None) -> dict[str, Any]:
    """All of it, and yesterday's figures beside today's."""
    return {
        "day": day,
        "played": played(ask, day),
        "money": money_of(ask, day),
        "counted": counted(ask, day),
        "silent": silent(ask, day),
        "kinds": by_kind(ask, day),
        "strip": strip(ask, day),
        "carried": carried(ask, day),
        "gone": gone(ask, day),
        "to_do": to_do(ask, day),
        "groups": stand_out(ask, day),
        "findings": all_findings(ask, day),
        "before": None
        if before is None
        else {
            "day": before,
            "played": played(ask, before),
            "money": {row["currency"]: row for row in money_of(ask, before)},
            "counted": counted(ask, before),
        },
    }
