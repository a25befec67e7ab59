"""Where a table-day's record is in doubt: the few stretches that have to be walked.

On a busy floor nearly every table-day has something wrong with its record, mostly in one round of
a thousand, and to walk all of it costs more than to decode it. So the walk goes only along the
stretches in which a quick look at the columns does not find everything joined. A stretch lies
between two anchors, events that follow the one before and are followed by the next in every
respect; where the table signs, they are valid signatures. What the walk says of an event rests on
nothing beyond the anchors around it:

- before an anchor there are exactly the events that came before it, so that nothing that came
  twice or late belongs to both of its sides;
- hashes and times go on over it;
- a valid signature covers what leads to it, and needs no other. Where one is refused, or what the
  next day holds matters, all of the day is walked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from checks.around import Around, links_of
from checks.record.arrays import arrival_ranks, begins_well, digests, numbers
from checks.record.arrival import arrivals, overtaken
from checks.record.clock import wrong_clocks
from checks.record.links import RecordLink, Walk, walk
from checks.rows import rows_with
from events.chain import QuarantinedLink
from events.trust.heads import HeadKeys, HeadVerdict

_MOST = 0.5
"""Where more of a day is in doubt, all of it is walked."""
_COLUMNS = ("seq", "seen_at", "wrong_clock", "round", "prev", "hash", "type", "key", "signature")


class SeenRecord(NamedTuple):
    """What came of a walk, and the rows of the events that count."""

    walk: Walk
    rows: Any


class _Joined(NamedTuple):
    """The columns of a day as arrays, and which events are anchors.

    goes_on: whether each event goes on from the one before in every respect.
    """

    seq: Any
    digest: Any
    rank: Any
    goes_on: Any
    anchors: Any


def walk_all(day: date, events: pa.Table, around: Around, bodies: QuarantinedLink) -> SeenRecord:
    """The walk along the whole day."""
    links = _links(day, events, range(len(events)), around)
    came = np.argsort(arrival_ranks(events, around.sources)).tolist()
    seen = walk(
        [links[row] for row in came],
        others=around.others,
        overtaken=_overtaken(events, around),
        known=around.known,
        unreadable=bodies,
        signatures=around.signatures,
    )
    return SeenRecord(seen, np.array([k.place for k in seen.kept if k.place >= 0], dtype=np.int64))


def _overtaken(events: pa.Table, around: Around) -> dict[int, int]:
    if not around.elsewhere:
        return {}
    return overtaken(arrivals(events, around.sources), around.elsewhere)


def walk_doubts(
    day: date, events: pa.Table, around: Around, bodies: QuarantinedLink
) -> SeenRecord | None:
    """The same, along the stretches that are in doubt; None where that is not enough."""
    signatures, keys = around.signatures, around.signatures.keys
    if signatures.after or signatures.since_us or around.elsewhere:
        return None
    joined = _look(events, around)
    count = len(joined.seq)
    if any(link.seq >= joined.seq[0] for link in around.others):
        return None  # another day has something among these
    stretches = _stretches(joined, count)
    if sum(stop - start for start, stop in stretches) > _MOST * count:
        return None
    known = _known_of(joined, stretches, around.known)
    if known is None or not _well_anchored(day, events, keys, joined, stretches):
        return None
    whole, counts = Walk(), np.ones(count, dtype=bool)
    rows = [row for start, stop in stretches for row in range(start, stop)]
    links = dict(zip(rows, _links(day, events, rows, around), strict=True))
    for (start, stop), heads in zip(stretches, known, strict=True):
        came = sorted(range(start, stop), key=joined.rank.__getitem__)
        seen = walk(
            [links[row] for row in came],
            others=() if start else around.others,
            known=heads,
            unreadable=bodies,
            signatures=signatures,
        )
        if seen.refused:
            return None
        counts[start:stop] = False
        counts[[link.place for link in seen.kept if link.place >= 0]] = True
        whole.problems += seen.problems
        whole.tails += seen.tails
        whole.unread |= seen.unread
    return SeenRecord(whole, np.flatnonzero(counts))


def _look(events: pa.Table, around: Around) -> _Joined:
    seq, at = numbers(events["seq"]), numbers(events["seen_at"].cast(pa.int64()))
    prev, digest = digests(events["prev"]), digests(events["hash"])
    rank = arrival_ranks(events, around.sources)
    count = len(seq)
    goes_on = np.ones(count + 1, dtype=bool)  # the end goes on, as far as the day knows
    goes_on[0] = begins_well(int(seq[0]), int(at[0]), prev[0].tobytes(), around)
    goes_on[1:count] = (
        (np.diff(seq) == 1)
        & (np.diff(at) >= 0)
        & (prev[1:] == digest[:-1]).all(axis=1)
        & (np.maximum.accumulate(rank)[:-1] == np.arange(count - 1))
    )
    wrong = wrong_clocks(events)  # their times say nothing
    goes_on[:-1] &= ~wrong
    goes_on[1:] &= ~wrong
    anchors = goes_on[:-1] & goes_on[1:]
    if around.signatures.keys.keys:
        signed = np.zeros(count, dtype=bool)
        signed[rows_with(events["type"], "HeadSigned")] = True
        # the walk leaves signatures out when it looks at the clock, so two of them in a row would
        # keep the events of play on both sides from meeting
        beside = np.r_[True, signed[:-1]] | np.r_[signed[1:], False]
        anchors &= signed & ~beside
    return _Joined(seq, digest, rank, goes_on[:-1], np.flatnonzero(anchors))


def _stretches(joined: _Joined, count: int) -> list[tuple[int, int]]:
    """From the event after an anchor to the next anchor, around each event that does not go on."""
    odd, anchors = np.flatnonzero(~joined.goes_on), joined.anchors
    after = np.searchsorted(anchors, odd)  # neither it nor the event before it is an anchor
    starts = np.r_[0, anchors + 1][after]
    stops = np.r_[anchors + 1, count][after]
    return sorted(set(zip(starts.tolist(), stops.tolist(), strict=True)))


def _known_of(
    joined: _Joined, stretches: Sequence[tuple[int, int]], known: Mapping[int, bytes]
) -> list[dict[int, bytes]] | None:
    """The checkpoints of each stretch; None where one outside of them is not met."""
    seq, out = joined.seq, [dict[int, bytes]() for _ in stretches]
    for number, head in known.items():
        within = (n for n, (a, b) in enumerate(stretches) if seq[a] <= number <= seq[b - 1])
        place = next(within, None)
        if place is not None:
            out[place][number] = head
            continue
        row = int(np.searchsorted(seq, number))
        if row == len(seq) or seq[row] != number or joined.digest[row].tobytes() != head:
            return None
    return out


def _well_anchored(
    day: date,
    events: pa.Table,
    keys: HeadKeys,
    joined: _Joined,
    stretches: Sequence[tuple[int, int]],
) -> bool:
    """Whether the anchors of a table that signs are valid signatures, its last event among them."""
    if not keys.keys:
        return True
    last = len(joined.seq) - 1
    if not len(joined.anchors) or joined.anchors[-1] != last:
        return False
    rows = {start - 1 for start, _ in stretches if start} | {stop - 1 for _, stop in stretches}
    few = events.select(_COLUMNS).take(pa.array(sorted(rows | {last}), pa.int64()))
    return all(is_valid(keys, link) for link in links_of(day, few, signed=True))


def is_valid(keys: HeadKeys, link: RecordLink) -> bool:
    """Whether an event is a valid signature."""
    if link.signed is None or link.prev is None:
        return False
    return keys.judge(link.signed, link.seq, link.prev)[0] is HeadVerdict.VALID


def _links(day: date, events: pa.Table, rows: Sequence[int], around: Around) -> list[RecordLink]:
    """Some rows as links that know their row."""
    some = events.select(_COLUMNS)
    if len(rows) != len(events):
        some = some.take(pa.array(rows, pa.int64()))
    found = links_of(day, some, signed=bool(around.signatures.keys.keys))
    return [link._replace(place=row) for row, link in zip(rows, found, strict=True)]
