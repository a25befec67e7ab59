"""The report's files, written into the run's folder: page, table of findings, summary."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from events.errors import EvenhandError
from events.runtime.durable import write_whole
from pipelines.night.context import Night
from pipelines.report.asking import before_publishing
from pipelines.report.data import Facts
from pipelines.report.gather import gather
from pipelines.report.morning import day_before, gone_now, morning
from pipelines.report.page import render
from pipelines.report.warnings import warnings_of
from pipelines.safe_text import for_cell
from pipelines.warehouse.changes import Changes


def make_report(night: Night, changes: Changes) -> None:
    """Ask, render and write. The files are there with all their bytes or not at all."""
    found = pq.read_table(night.folder.small("findings"), partitioning=None)
    warnings = warnings_of(night, found)
    facts = gather(night, found)
    night.add(warnings=warnings)
    with before_publishing(night) as asked:
        told = morning(asked, night.day, day_before(asked, night.day))
    told["gone"] = gone_now(changes, told["gone"], [f["id"] for f in told["findings"]])
    files = {
        "html": render(night, told, facts, changes, warnings).encode(),
        "csv": findings_csv(found).encode(),
        "json": (json.dumps(summary(night, facts, changes), indent=1) + "\n").encode(),
    }
    for kind, content in files.items():
        path = night.folder.report(kind)
        try:
            write_whole(path, content)
        except OSError as error:
            raise EvenhandError(
                f"{path}: can't be written: {error.strerror or error}; nothing was published"
            ) from None


def findings_csv(found: pa.Table) -> str:
    """Every finding, one line each, safe to open in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(found.column_names)
    for row in zip(*(c.to_pylist() for c in found.columns), strict=True):
        writer.writerow([_cell(v) for v in row])
    return out.getvalue()


def _cell(value: Any) -> Any:
    return for_cell(" ".join(map(str, value)) if isinstance(value, list) else value)


def summary(night: Night, facts: Facts, changes: Changes) -> dict[str, Any]:
    """The day in one JSON object, for other programs."""
    state = night.state()
    return {
        "day": night.day.isoformat(),
        "run": night.folder.run,
        "revision": state["pinned"]["revision"],
        "complete": state["pinned"]["complete"],
        "warnings": state["warnings"],
        "events": state["pinned"]["events"],
        "totals": facts.totals,
        "findings": asdict(facts.summary),
        "by": {g.title: g.rows for g in facts.groups},
        "hours": facts.hours,
        "voids": facts.voids,
        "irregularities": facts.irregularities,
        "rulings": facts.rulings,
        "integrity": facts.integrity,
        "witnessed": state.get("witnessed"),
        "failed_checks": [c["check_name"] for c in facts.quality if not c["passed"]],
        "changes": changes.to_json(),
    }
