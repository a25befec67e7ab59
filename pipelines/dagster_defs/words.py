"""What Dagster's pages show beside an asset or a check: counts, money, links, worst findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.night.context import Night
from pipelines.night.quality import QualityCheck
from pipelines.night.summary import NightSummary, worst
from replay.findings import dollars

_WORST = 10


def findings_metadata(found: pa.Table, summary: NightSummary) -> dict[str, Any]:
    rows = [
        dg.TableRecord(
            {
                "severity": f["severity"],
                "kind": f["kind"],
                "table": f["table_id"] or "",
                "round": f["round"] or "",
                "money": dollars(f["money"] or 0),
                "message": f["message"],
            }
        )
        for f in worst(found, _WORST)
    ]
    out: dict[str, Any] = {
        "findings": found.num_rows,
        "open": summary.open,
        "waived": summary.waived,
        **_cents(summary),
        "by severity": dg.MetadataValue.json(summary.by_severity),
        "by kind": dg.MetadataValue.json(summary.by_kind),
    }
    if rows:
        out["worst"] = dg.MetadataValue.table(rows)
    return out


def _cents(summary: NightSummary) -> dict[str, int]:
    """Money as numbers, because only those are drawn over time: cents, each currency apart."""
    if len(summary.by_currency) <= 1:
        told = {"": {"overpaid": summary.overpaid or 0, "underpaid": summary.underpaid or 0}}
    else:
        told = {f"{name} ": money for name, money in summary.by_currency.items()}
    out = {}
    for name, money in told.items():
        out[f"{name}cents too much"] = money["overpaid"]
        out[f"{name}cents too little"] = money["underpaid"]
    return out


def check_metadata(checks: Sequence[QualityCheck]) -> dict[str, Any]:
    rows = [
        dg.TableRecord(
            {
                "suite": c.suite,
                "check": c.name,
                "passed": c.passed,
                "blocking": c.blocking,
                "observed": c.observed,
                "examples": ", ".join(c.examples),
            }
        )
        for c in sorted(checks, key=lambda c: c.passed)
    ]
    failed = sum(not c.passed for c in checks)
    out: dict[str, Any] = {"checks": len(checks), "failed": failed}
    if rows:
        out["results"] = dg.MetadataValue.table(rows)
    return out


def report_metadata(night: Night) -> dict[str, Any]:
    page = night.folder.report("html")
    return {"page": dg.MetadataValue.url(page.as_uri()), "path": dg.MetadataValue.path(str(page))}
