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

from checks.around import NOTHING, Around, links_of
from checks.record.arrival import NumberedArrival, arrivals, overtaken
from checks.record.clock import has_wrong_clock, implausible_times
from checks.record.file import integrity, record_finding
from checks.record.links import RecordLink, Walk, walk
from checks.rows import rows_with
from events.archive.quarantine import Quarantined
from events.chain import QuarantinedLink
from events.codec import GENESIS, body_of, hash_body
from events.trust.heads import SIGN_EVERY_US, HeadKeys, HeadVerdict
from replay.answer import Finding


class Record(NamedTuple):
    """A table-day's events as they count, and what is wrong with its record."""

    events: pa.Table
    findings: list[Finding]
    left_out: frozenset[str] = frozenset()  # the rounds of events that do not count
    tails: tuple[str, ...] = ()  # where two claim a number, which counts and why


def check_record(day: date, events: pa.Table, around: Around = NOTHING) -> Record:
    """Look at a table-day's record. `events` has the archive's columns, sorted by seq.

    An event that came twice counts once afterwards; where two claim one number, the one counts
    that a valid signature covers, else the one that the chain goes on from.
    """
    if not len(events) or (is_whole(events, around) and is_signed(day, events, around)):
        return Record(events, [])
    table = str(events["table_id"][0].as_py())
    bodies = QuarantinedLink(q.raw for q in around.quarantined if q.kind != "damage")
    links = _links(day, events, signed=bool(around.signatures.keys.keys))
    came = arrivals(events, around.sources)
    seen = walk(
        _in_order_of_arrival(links, came),
        others=around.others,
        overtaken=overtaken(came, around.elsewhere) if around.elsewhere else {},
        known=around.known,
        unreadable=bodies,
        signatures=around.signatures,
    )
    rows = [link.place for link in seen.kept if link.place >= 0]
    kept = events if len(rows) == len(events) else events.take(pa.array(rows, pa.int64()))
    found = [record_finding(table, problem) for problem in seen.problems]
    own = [q for q in around.quarantined if q.table == table]
    found += undecodable(day, own, seen)
    found += implausible_times(table, kept)
    counting = set(rows)
    lost = (link.round for link in links if link.place not in counting)
    left_out = frozenset(name for name in lost if name is not None)
    return Record(kept, found, left_out, tuple(seen.tails))


def is_whole(events: pa.Table, around: Around = NOTHING) -> bool:
    """Whether nothing at all is wrong; decided column by column, without an event in hand."""
    seq, at = _numbers(events["seq"]), _numbers(events["seen_at"].cast(pa.int64()))
    offset = _numbers(events["offset"])
    prev, digest = _digests(events["prev"]), _digests(events["hash"])
    return bool(
        not around.quarantined
        and not around.elsewhere
        and not has_wrong_clock(events)
        and np.all(np.diff(seq) == 1)
        and np.all(np.diff(at) >= 0)
        and np.all(np.diff(offset) > 0)
        and _one_value(events["source"])
        and _one_value(events["partition"])
        and np.array_equal(prev[1:], digest[:-1])
        and _begins_well(int(seq[0]), int(at[0]), prev[0].tobytes(), around)
        and _meets(int(seq[0]), digest, around)
    )


def is_signed(day: date, events: pa.Table, around: Around) -> bool:
    """Whether one valid signature covers a record that is whole; one is looked at, not hundreds."""
    keys, after, over, _ = around.signatures
    if not keys.keys:
        return True
    rows = rows_with(events["type"], "HeadSigned")
    if len(rows) and (not over or rows[-1] == len(events) - 1):
        last = events.slice(int(rows[-1]), 1)
        return _is_valid(keys, _links(day, last, signed=True)[0])
    end = _links(day, events.slice(len(events) - 1, 1), signed=True)[0]
    by = (end.at or 0) + SIGN_EVERY_US
    for link in sorted(after, key=lambda one: one.seq):
        if link.seq != end.seq + 1 or link.prev != end.hash:
            return False
        if link.signed is not None:
            return (link.at or 0) <= by and _is_valid(keys, link)
        end = link
    return False


def _is_valid(keys: HeadKeys, link: RecordLink) -> bool:
    if link.signed is None or link.prev is None:
        return False
    return keys.judge(link.signed, link.seq, link.prev)[0] is HeadVerdict.VALID


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


def _links(day: date, events: pa.Table, *, signed: bool) -> list[RecordLink]:
    return [link._replace(place=place) for place, link in enumerate(links_of(day, events, signed))]


def _in_order_of_arrival(links: list[RecordLink], came: list[NumberedArrival]) -> list[RecordLink]:
    return [links[row] for row in sorted(range(len(links)), key=lambda row: came[row].came)]


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
