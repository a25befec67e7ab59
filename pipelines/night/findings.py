"""The findings of a day put together: those of each group of tables, and those across tables."""

from __future__ import annotations

import json
from datetime import timedelta

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from checks.across import audit_across
from checks.around import Surroundings
from checks.meter import EVENTS_SQL
from checks.table_day import finding_row, record_of_day, to_table
from checks.tables import FINDINGS
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.durable import write_whole
from pipelines.night.context import Night
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.connect import STAGE_MEMORY
from replay.answer import Finding

_METERS = "meters.json"


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
    found += _meters(night)
    return to_table([finding_row(night.day, f, None) for f in found], FINDINGS)


def _meters(night: Night) -> list[Finding]:
    """The progressive meters, over all tables that share one, going on from the day before."""
    files = [str(path) for path in night.folder.parts("events")]
    progressive = pc.field("bet") == "progressive"
    lines = [
        pq.read_table(p, partitioning=None, filters=progressive)
        for p in night.folder.parts("lines")
    ]
    # told by SQL, because only the rows of linked tables are wanted, and few of their columns
    with duckdb.connect(config={"memory_limit": STAGE_MEMORY}) as db:
        events: pa.Table = db.sql(EVENTS_SQL, params=[files, files]).to_arrow_table()
    found = audit_across(
        night.day, events, pa.concat_tables(lines), night.settings.jackpots, _meters_before(night)
    )
    write_whole(night.folder.path / _METERS, json.dumps(dict(found.meters)).encode())
    return found.findings


def _meters_before(night: Night) -> dict[str, int] | None:
    """Where each meter stood at the end of the day before, where that day is published."""
    yesterday = night.day - timedelta(days=1)
    for p in published(night.warehouse):
        path = night.warehouse.run_folder(p.day, p.run).path / _METERS
        if p.day == yesterday and p.current and path.exists():
            known: dict[str, int] = json.loads(path.read_text("utf-8"))
            return known
    return None
