"""What Dagster's pages show beside an asset or a check: counts, money, links, worst findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from pipelines.night.context import Night
from pipelines.night.quality import Check
from pipelines.night.summary import Summary, cents, worst

_WORST = 10


def money_text(summary: Summary) -> str:
    return f"{cents(summary.overpaid)} paid too much, {cents(summary.underpaid)} too little"


def findings_metadata(found: pa.Table, summary: Summary) -> dict[str, Any]:
    rows = [
        dg.TableRecord(
            {
                "severity": f["severity"],
                "kind": f["kind"],
                "table": f["table_id"] or "",
                "round": f["round"] or "",
                "money": cents(f["money"] or 0),
                "message": f["message"],
            }
        )
        for f in worst(found, _WORST)
    ]
    out: dict[str, Any] = {
        "findings": found.num_rows,
        "open": summary.open,
        "waived": summary.waived,
        "paid too much": cents(summary.overpaid),
        "paid too little": cents(summary.underpaid),
        "by severity": dg.MetadataValue.json(summary.by_severity),
        "by kind": dg.MetadataValue.json(summary.by_kind),
    }
    if rows:
        out["worst"] = dg.MetadataValue.table(rows)
    return out


def check_metadata(checks: Sequence[Check]) -> dict[str, Any]:
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
