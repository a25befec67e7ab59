"""The findings of a day put together: those of each group of tables, and those across tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from checks.across import Across, audit_across
from checks.around import Surroundings
from checks.meter import Won
from checks.table_day import finding_row, record_of_day, to_table
from checks.tables import FINDINGS
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from pipelines.night.before import leave, pinned_before
from pipelines.night.context import Night
from replay.answer import Finding
from replay.fold import micros

_TOLD = ("rulebook", "dealer", "seen_at")  # what a finding says of its round


def collect_findings(night: Night) -> pa.Table:
    """All findings, in an order that does not depend on how the day was cut."""
    parts = [pq.read_table(p, partitioning=None) for p in night.folder.parts("findings")]
    own = pa.concat_tables([FINDINGS.empty_table(), *parts])
    across = _across_tables(night)
    found = [*_of_the_record(night), *across.findings]
    beside = to_table([finding_row(night.day, f, None) for f in found], FINDINGS)
    parts = [_without(own, across.explained), _of_their_rounds(night, beside)]
    whole = pa.concat_tables(parts).combine_chunks()
    return whole.sort_by([("table_id", "ascending"), ("seq", "ascending"), ("id", "ascending")])


def _of_the_record(night: Night) -> list[Finding]:
    """What is wrong with the record and shows in no single table's day."""
    with Archive(night.archive) as archive:
        known = load_checkpoints(night.settings.checkpoints_file)
        return record_of_day(night.day, Surroundings(archive, night.day, known))


def _across_tables(night: Night) -> Across:
    """The progressive meters, over all tables that share one, going on from the day before."""
    rows = [pq.read_table(p, partitioning=None) for p in night.folder.parts("meters")]
    wins = [
        Won(**row)
        for p in night.folder.parts("wins")
        for row in pq.read_table(p, partitioning=None).to_pylist()
    ]
    until_us = micros(night.settings.gaming_day.end_of(night.day)) or 0
    found = audit_across(rows, wins, night.settings.jackpots, pinned_before(night), until_us)
    leave(night, found.end)
    return found


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
    places: list[Any] = [findings[name] for name in ("severity", "bet", "round", "box")]
    keep = [
        severity not in {"money", "judgement"}
        or bet != "progressive"
        or (round_, box) not in explained
        for severity, bet, round_, box in zip(*(c.to_pylist() for c in places), strict=True)
    ]
    return findings.filter(pa.array(keep))
