"""Which findings a named person accepted."""

from __future__ import annotations

import pyarrow as pa

from pipelines.night.context import Night
from pipelines.warehouse.words import DAY_FINDINGS, WAIVERS


def waive(night: Night, found: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The findings with the waiver that covers each, and the waivers themselves."""
    covered = pa.nulls(found.num_rows, pa.string())
    return found.append_column(DAY_FINDINGS.field("waiver"), covered), WAIVERS.empty_table()
