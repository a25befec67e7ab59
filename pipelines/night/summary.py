"""The findings of a day in a few numbers, and which of them to look at first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pipelines.night.currencies import Currencies
from replay.findings import dollars

SEVERITIES = ("money", "integrity", "procedure", "judgement", "note")
URGENT = frozenset({"money", "integrity"})
"""Severities that make the night's exit code 1 and raise an alert, unless waived."""


@dataclass(frozen=True, slots=True)
class NightSummary:
    """Findings in numbers. Money is over those of severity money, waived or not, in cents; None
    where the tables of the day play in several currencies, of which `by_currency` has each."""

    findings: int
    open: int
    waived: int
    overpaid: int | None
    underpaid: int | None
    by_severity: dict[str, int]
    by_kind: dict[str, int]
    by_currency: dict[str, dict[str, int]]

    def money_text(self) -> str:
        """The money at stake both ways, each currency by itself."""
        over, under = self.amount_text("overpaid"), self.amount_text("underpaid")
        return f"{over} paid too much, {under} too little"

    def amount_text(self, name: str) -> str:
        """`overpaid` or `underpaid` as people read it."""
        whole: int | None = getattr(self, name)
        if whole is not None:
            return dollars(whole)
        return " and ".join(f"{c} {dollars(m[name])}" for c, m in self.by_currency.items())


def summarise(found: pa.Table, currencies: Currencies) -> NightSummary:
    """Count a day's findings."""
    severity: list[Any] = found["severity"].to_pylist()
    kind: list[Any] = found["kind"].to_pylist()
    waived = [w is not None for w in found["waiver"].to_pylist()]
    counted = Counter(severity)
    by_currency = _by_currency(found, currencies)
    whole = {} if currencies.several else by_currency.get(currencies.rest, {})
    none = None if currencies.several else 0
    return NightSummary(
        findings=found.num_rows,
        open=sum(s in URGENT and not w for s, w in zip(severity, waived, strict=True)),
        waived=sum(waived),
        overpaid=whole.get("overpaid", none),
        underpaid=whole.get("underpaid", none),
        by_severity={s: counted[s] for s in SEVERITIES},
        by_kind=dict(sorted(Counter(kind).items(), key=lambda p: (-p[1], p[0]))),
        by_currency=by_currency,
    )


def _by_currency(found: pa.Table, currencies: Currencies) -> dict[str, dict[str, int]]:
    """Every currency of the day with what was paid wrongly in it."""
    severity: list[Any] = found["severity"].to_pylist()
    names = [currencies.of(table) for table in found["table_id"].to_pylist()]
    over, under = _amounts(found, "too_much", 1), _amounts(found, "too_little", -1)
    money = {n for n, s in zip(names, severity, strict=True) if s == "money"}
    out = {
        n: {"overpaid": 0, "underpaid": 0} for n in sorted({*currencies.tables.values(), *money})
    }
    for name, kind, much, little in zip(names, severity, over, under, strict=True):
        if kind == "money":
            out[name]["overpaid"] += much
            out[name]["underpaid"] += little
    return out


def _amounts(found: pa.Table, name: str, sign: int) -> list[int]:
    """What each finding is about, one way; a day of an older version has only their money."""
    money = [max(0, sign * (m or 0)) for m in found["money"].to_pylist()]
    told = found[name].to_pylist() if name in found.column_names else [None] * len(money)
    return [m if t is None else t for t, m in zip(told, money, strict=True)]


def worst(found: pa.Table, most: int) -> list[dict[str, Any]]:
    """The findings to look at first: open before waived, by severity, then by money."""
    rank = {s: n for n, s in enumerate(SEVERITIES)}
    return sorted(
        found.to_pylist(),
        key=lambda f: (
            f["waiver"] is not None,
            rank[f["severity"]],
            -abs(f["money"] or 0),
            f["table_id"] or "",
            f["id"],
        ),
    )[:most]
