"""The record of a table-day in columns: a quick look that nearly always says "whole", and the
walk (checks/record/links.py) where it does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from checks.around import NOTHING, Around
from checks.record.file import integrity, record_finding
from checks.record.links import RecordLink, Walk, walk
from events.archive.quarantine import Quarantined
from events.chain import QuarantinedLink
from events.codec import GENESIS, body_of, hash_body
from replay.answer import Finding


class Record(NamedTuple):
    """A table-day's events as they count, and what is wrong with its record."""

    events: pa.Table
    findings: list[Finding]


def check_record(day: date, events: pa.Table, around: Around = NOTHING) -> Record:
    """Look at a table-day's record. `events` has the archive's columns, sorted by seq.

    An event that came twice counts once afterwards; where two claim one number, the one counts
    that the chain goes on from.
    """
    if not len(events) or is_whole(events, around):
        return Record(events, [])
    table = str(events["table_id"][0].as_py())
    bodies = QuarantinedLink(q.raw for q in around.quarantined if q.kind != "damage")
    links = _links(events)
    seen = walk(
        _in_order_of_arrival(events, links, around),
        others=around.others,
        known=around.known,
        unreadable=bodies,
    )
    rows = [link.place for link in seen.kept if link.place >= 0]
    kept = events if len(rows) == len(events) else events.take(pa.array(rows, pa.int64()))
    found = [record_finding(table, problem) for problem in seen.problems]
    own = [q for q in around.quarantined if q.table == table]
    found += undecodable(day, own, seen)
    return Record(kept, found)


def is_whole(events: pa.Table, around: Around = NOTHING) -> bool:
    """Whether nothing at all is wrong; decided column by column, without an event in hand."""
    seq, at = _numbers(events["seq"]), _numbers(events["seen_at"].cast(pa.int64()))
    offset = _numbers(events["offset"])
    prev, digest = _digests(events["prev"]), _digests(events["hash"])
    return bool(
        not around.quarantined
        and np.all(np.diff(seq) == 1)
        and np.all(np.diff(at) >= 0)
        and np.all(np.diff(offset) > 0)
        and _one_value(events["source"])
        and _one_value(events["partition"])
        and np.array_equal(prev[1:], digest[:-1])
        and _begins_well(int(seq[0]), int(at[0]), prev[0].tobytes(), around)
        and _meets(int(seq[0]), digest, around)
    )


def _begins_well(seq: int, at: int, prev: bytes, around: Around) -> bool:
    if seq == 1:
        return prev == GENESIS and not around.others
    if not around.others:
        return True
    if len(around.others) > 1:
        return False
    before = around.others[0]
    joins = before.seq == seq - 1 and before.hash in {None, prev}
    return joins and (before.at is None or before.at <= at)


def _meets(first: int, digest: Any, around: Around) -> bool:
    """Every checkpoint names an event that is there, with its hash."""
    return all(
        first <= seq < first + len(digest) and digest[seq - first].tobytes() == head
        for seq, head in around.known.items()
    )


def _numbers(column: Any) -> Any:
    return column.combine_chunks().to_numpy(zero_copy_only=False)


def _digests(column: Any) -> Any:
    """A column of 32-byte hashes as rows of bytes, without making an object of any."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    raw = np.frombuffer(array.buffers()[1], dtype=np.uint8)
    start = array.offset * 32
    return raw[start : start + len(array) * 32].reshape(-1, 32)


def _one_value(column: Any) -> bool:
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    codes = array.indices if pa.types.is_dictionary(array.type) else array
    values = codes.to_numpy(zero_copy_only=False)
    return bool(np.all(values == values[0]))


def _links(events: pa.Table) -> list[RecordLink]:
    plain: list[Any] = [
        events["seq"],
        events["seen_at"].cast(pa.int64()),
        events["round"],
        events["prev"],
        events["hash"],
    ]
    places = range(len(events))
    return [RecordLink(*row) for row in zip(*(c.to_pylist() for c in plain), places, strict=True)]


def _in_order_of_arrival(
    events: pa.Table, links: list[RecordLink], around: Around
) -> list[RecordLink]:
    sources: Any = events["source"].cast(pa.string())
    numbers = [around.sources.get(source, 0) for source in sources.to_pylist()]
    parts, offsets = events["partition"].to_pylist(), events["offset"].to_pylist()
    came = sorted(zip(numbers, parts, offsets, range(len(links)), strict=True))
    return [links[row] for *_, row in came]


def undecodable(day: date, quarantined: Iterable[Quarantined], seen: Walk | None) -> list[Finding]:
    """A finding for each message of the day that nobody could read, at its place if proven.

    One that names no table fills its place in a chain, and is told once, with the day.
    """
    unread = {} if seen is None else seen.unread
    out = []
    for q in quarantined:
        if q.day != day:
            continue
        link = next(
            (unread[h] for h in (hash_body(body_of(q.raw)), hash_body(q.raw)) if h in unread), None
        )
        round_ = q.round if link is None else q.round or link.round
        seq = q.seq if link is None else link.seq
        where = f"round {round_}" if round_ else f"table {q.table}" if q.table else "no table"
        origin = f"{q.source}, partition {q.partition}, offset {q.offset}"
        says = f"{where}: a message ({origin}) can't be read as an event: {q.reason}"
        out.append(integrity("undecodable", q.table, round_, seq, says, _number_of(origin)))
    return out


def _number_of(origin: str) -> int:
    """The same number for the same message in every run; it has no place in a round of its own."""
    return int.from_bytes(hashlib.sha256(origin.encode()).digest()[:6], "big")
