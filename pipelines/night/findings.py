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
    parts = [_without(own, explained), _of_their_rounds(night, beside)]
    whole = pa.concat_tables(parts).combine_chunks()
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


def _of_their_rounds(night: Night, beside: pa.Table) -> pa.Table:
    """What was found besides the rounds' own answers, with rulebook, dealer and time of its round.

    These are few, so that only their rounds are read.
    """
    names = sorted({name for name in beside["round"].to_pylist() if name is not None})
    known: dict[str, dict[str, Any]] = {}
    for path in night.folder.parts("rounds") if names else ():
        wanted = pc.field("round").isin(names)
        rows = pq.read_table(path, columns=["round", *_TOLD], filters=wanted, partitioning=None)
        known |= {row["round"]: row for row in rows.to_pylist()}
    filled = [
        row | {n: known.get(row["round"], row)[n] for n in _TOLD} for row in beside.to_pylist()
    ]
    return pa.Table.from_pylist(filled, FINDINGS)


def _without(findings: pa.Table, explained: Collection[tuple[str, int]]) -> pa.Table:
    """A round says that a winner got the wrong amount, and other tables show why it was right."""
    if not explained:
        return findings
    boxes: dict[str, set[int | None]] = {}
    for name, box in explained:
        boxes.setdefault(name, set()).add(box)
    places: list[Any] = [findings[name] for name in ("severity", "bet", "box", "round")]
    keep = [
        not explained_away(severity, bet, box, boxes.get(round_, ()))
        for severity, bet, box, round_ in zip(*(c.to_pylist() for c in places), strict=True)
    ]
    return findings.filter(pa.array(keep))
