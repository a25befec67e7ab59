"""Which findings a named person accepted."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pyarrow as pa

from checks.waivers import FILE_NAME, apply_waivers, load_waivers
from pipelines.night.context import Night
from pipelines.warehouse.words import DAY_FINDINGS, WAIVERS


def waive(night: Night, found: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The findings with the waiver that covers each, and the waivers that cover any."""
    given = load_waivers(night.settings.home / FILE_NAME)
    today = datetime.now(UTC).astimezone(night.settings.timezone).date()
    covering = apply_waivers(found.to_pylist() if given else [{}] * len(found), given, today)
    ids = pa.array([w.id if w is not None else None for w in covering], pa.string())
    counted = Counter(w for w in covering if w is not None)
    rows = [
        {
            "day": night.day,
            "id": waiver.id,
            "who": waiver.by,
            "reason": waiver.reason,
            "scope": f"finding {waiver.finding}",
            "expires": waiver.until,
            "findings": findings,
        }
        for waiver, findings in sorted(counted.items(), key=lambda entry: entry[0].id)
    ]
    marked = found.append_column(DAY_FINDINGS.field("waiver"), ids)
    return marked, pa.Table.from_pylist(rows, schema=WAIVERS)
