"""The findings of a day put together: those of each group of tables, and those across tables."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from checks.tables import FINDINGS
from pipelines.night.context import Night


def collect_findings(night: Night) -> pa.Table:
    """All findings, in an order that does not depend on how the day was cut."""
    parts = [pq.read_table(p, partitioning=None) for p in night.folder.parts("findings")]
    whole = pa.concat_tables([FINDINGS.empty_table(), *parts]).combine_chunks()
    return whole.sort_by([("table_id", "ascending"), ("seq", "ascending"), ("id", "ascending")])
