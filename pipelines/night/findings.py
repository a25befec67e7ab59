"""The findings of a day put together: those of each group of tables, and those across tables."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from checks.around import Surroundings
from checks.table_day import finding_row, record_of_day, to_table
from checks.tables import FINDINGS
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from pipelines.night.context import Night


def collect_findings(night: Night) -> pa.Table:
    """All findings, in an order that does not depend on how the day was cut."""
    parts = [pq.read_table(p, partitioning=None) for p in night.folder.parts("findings")]
    whole = pa.concat_tables([FINDINGS.empty_table(), *parts, _across(night)]).combine_chunks()
    return whole.sort_by([("table_id", "ascending"), ("seq", "ascending"), ("id", "ascending")])


def _across(night: Night) -> pa.Table:
    """What shows in no single table's day."""
    with Archive(night.archive) as archive:
        known = load_checkpoints(night.settings.checkpoints_file)
        found = record_of_day(night.day, Surroundings(archive, night.day, known))
    return to_table([finding_row(night.day, f, None) for f in found], FINDINGS)
