"""The findings of a day put together: those of each group of tables, and those across tables."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from checks.around import Surroundings
from checks.audit import explained_away
from checks.meter.across import audit_across
from checks.meter.traces import Won
from checks.silence import silence_of_day
from checks.table_day import finding_row, record_of_day, to_table
from checks.tables import FINDINGS
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.registry import load_registry
from pipelines.night.before import leave, pinned_before
from pipelines.night.context import Night
from pipelines.warehouse.said import keep_across, kept_across
from replay.answer import Finding
from replay.fold import micros

_TOLD = ("rulebook", "dealer", "seen_at")  # what a finding says of its round


def collect_findings(night: Night) -> pa.Table:
    """All findings, in an order that does not depend on how the day was cut."""
    parts = [pq.read_table(p, partitioning=None) for p in night.folder.parts("findings")]
    own = pa.concat_tables([FINDINGS.empty_table(), *parts])
    across, explained = kept_across(night.folder)
    found = [*_of_the_record(night), *across]
    beside = to_table([finding_row(night.day, f, None) for f in found], FINDINGS)
    return in_order(pa.concat_tables([_without(own, explained), of_their_rounds(night, beside)]))


def in_order(found: pa.Table) -> pa.Table:
    """Findings as a day's file has them."""
    whole = found.combine_chunks()
    return whole.sort_by([("table_id", "ascending"), ("seq", "ascending"), ("id", "ascending")])


def _of_the_record(night: Night) -> list[Finding]:
    """What is wrong with the record and shows in no single table's day."""
    with Archive(night.archive) as archive:
        known = load_checkpoints(night.settings.checkpoints_file)
        around = Surroundings(archive, night.day, known, night.settings.gaming_day)
        found = record_of_day(night.day, around)
        if datetime.now(UTC) >= night.settings.gaming_day.end_of(night.day):
            registry = load_registry(night.settings.tables_file)
            found += silence_of_day(archive, night.day, registry)
        return found


def go_on_meters(night: Night) -> None:
    """The progressive meters, over all tables that share one, going on from the day before: kept
    for the findings of this day and for the day after. Of all that a day needs to be closed this
    alone has to wait for the day before."""
    rows = [pq.read_table(p, partitioning=None) for p in night.folder.parts("meters")]
    wins = [
        Won(**row)
        for p in night.folder.parts("wins")
        for row in pq.read_table(p, partitioning=None).to_pylist()
    ]
    until_us = micros(night.settings.gaming_day.end_of(night.day)) or 0
    found = audit_across(rows, wins, night.settings.jackpots, pinned_before(night), until_us)
    leave(night, found.end)
    keep_across(night.folder, found)


def of_their_rounds(night: Night, beside: pa.Table) -> pa.Table:
    """What was found besides the rounds' own answers, with rulebook, dealer and time of its round.

    These are few, so that only their rounds are read.
    """
    names = sorted({name for name in beside["round"].to_pylist() if name is not None})
    known: dict[tuple[str, str], dict[str, Any]] = {}
    for path in night.folder.parts("rounds") if names else ():
        wanted = pc.field("round").isin(names)
        columns = ["table_id", "round", *_TOLD]
        rows = pq.read_table(path, columns=columns, filters=wanted, partitioning=None)
        known |= {(row["table_id"], row["round"]): row for row in rows.to_pylist()}
    filled = []
    for row in beside.to_pylist():
        own = known.get((row["table_id"], row["round"]), row)
        filled.append(row | {n: own[n] for n in _TOLD})
    return pa.Table.from_pylist(filled, FINDINGS)


def _without(findings: pa.Table, explained: Collection[tuple[str, str, int]]) -> pa.Table:
    """A round says that a winner got the wrong amount, and other tables show why it was right."""
    if not explained:
        return findings
    boxes: dict[tuple[str, str], set[int | None]] = {}
    for table, name, box in explained:
        boxes.setdefault((table, name), set()).add(box)
    wanted = ("severity", "bet", "box", "table_id", "round")
    places: list[Any] = [findings[name] for name in wanted]
    keep = [
        not explained_away(severity, bet, box, boxes.get((table, round_), ()))
        for severity, bet, box, table, round_ in zip(*(c.to_pylist() for c in places), strict=True)
    ]
    return findings.filter(pa.array(keep))
