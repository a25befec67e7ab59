"""The findings of a day in a few numbers, and which of them to look at first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

SEVERITIES = ("money", "integrity", "procedure", "judgement", "note")
URGENT = frozenset({"money", "integrity"})
"""Severities that make the night's exit code 1 and raise an alert, unless waived."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Findings in numbers. Money is over those of severity money, waived or not, in cents."""

    findings: int
    open: int
    waived: int
    overpaid: int
    underpaid: int
    by_severity: dict[str, int]
    by_kind: dict[str, int]


def summarise(found: pa.Table) -> Summary:
    """Count a day's findings."""
    severity: list[Any] = found["severity"].to_pylist()
    kind: list[Any] = found["kind"].to_pylist()
    waived = [w is not None for w in found["waiver"].to_pylist()]
    money = [m or 0 for m in found["money"].to_pylist()]
    owed = [m for m, s in zip(money, severity, strict=True) if s == "money"]
    counted = Counter(severity)
    return Summary(
        findings=found.num_rows,
        open=sum(s in URGENT and not w for s, w in zip(severity, waived, strict=True)),
        waived=sum(waived),
        overpaid=sum(m for m in owed if m > 0),
        underpaid=-sum(m for m in owed if m < 0),
        by_severity={s: counted[s] for s in SEVERITIES},
        by_kind=dict(sorted(Counter(kind).items(), key=lambda p: (-p[1], p[0]))),
    )


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


def cents(amount: int) -> str:
    """Cents as money is written: 1,234.50."""
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100:,}.{abs(amount) % 100:02d}"
