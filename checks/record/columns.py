"""The record of a table-day in columns: a quick look that nearly always says "whole", and the
walk along what is in doubt (checks/record/doubts.py) where it does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from checks.around import NOTHING, Around, links_of
from checks.record.arrays import begins_well, codes, digests, numbers
from checks.record.clock import has_wrong_clock, implausible_times
from checks.record.doubts import is_valid, walk_all, walk_doubts
from checks.record.file import integrity, record_finding
from checks.record.links import RecordLink, Walk
from checks.rows import rows_with
from events.archive.quarantine import Quarantined
from events.chain import QuarantinedLink
from events.codec import body_of, hash_body
from events.trust.heads import SIGN_EVERY_US
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
    seen, rows = walk_doubts(day, events, around, bodies) or walk_all(day, events, around, bodies)
    kept = events if len(rows) == len(events) else events.take(pa.array(rows, pa.int64()))
    found = [record_finding(table, problem) for problem in seen.problems]
    own = [q for q in around.quarantined if q.table == table]
    found += undecodable(day, own, seen)
    found += implausible_times(table, kept)
    lost = np.setdiff1d(np.arange(len(events)), rows)
    rounds = events["round"].take(pa.array(lost, pa.int64())).to_pylist()
    left_out = frozenset(name for name in rounds if name is not None)
    return Record(kept, found, left_out, tuple(seen.tails))


def is_whole(events: pa.Table, around: Around = NOTHING) -> bool:
    """Whether nothing at all is wrong; decided column by column, without an event in hand."""
    seq, at = numbers(events["seq"]), numbers(events["seen_at"].cast(pa.int64()))
    offset = numbers(events["offset"])
    prev, digest = digests(events["prev"]), digests(events["hash"])
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
        and begins_well(int(seq[0]), int(at[0]), prev[0].tobytes(), around)
        and _meets(int(seq[0]), digest, around)
    )


def is_signed(day: date, events: pa.Table, around: Around) -> bool:
    """Whether one valid signature covers a record that is whole; one is looked at, not hundreds."""
    keys, after, over, _ = around.signatures
    if not keys.keys:
        return True
    rows = rows_with(events["type"], "HeadSigned")
    if len(rows) and (not over or rows[-1] == len(events) - 1):
        return is_valid(keys, _link(day, events, int(rows[-1])))
    end = _link(day, events, len(events) - 1)
    by = (end.at or 0) + SIGN_EVERY_US
    for link in sorted(after, key=lambda one: one.seq):
        if link.seq != end.seq + 1 or link.prev != end.hash:
            return False
        if link.signed is not None:
            return (link.at or 0) <= by and is_valid(keys, link)
        end = link
    return False


def _meets(first: int, digest: Any, around: Around) -> bool:
    """Every checkpoint names an event that is there, with its hash."""
    return all(
        first <= seq < first + len(digest) and digest[seq - first].tobytes() == head
        for seq, head in around.known.items()
    )


def _one_value(column: Any) -> bool:
    values, _ = codes(column)
    return bool(np.all(values == values[0]))


def _link(day: date, events: pa.Table, row: int) -> RecordLink:
    return links_of(day, events.slice(row, 1), signed=True)[0]


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
