"""In which order a table's events came, over the days in which they lie.

An event that comes late counts on its own day; that later ones had come before it may show on the
next day only.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

ARRIVAL_COLUMNS = ("seq", "source", "partition", "offset")


class Came(NamedTuple):
    """Where a message came from; of two, the one that is less came first."""

    source: int  # the log's number, in the order in which the archive read them
    partition: int
    offset: int


class NumberedArrival(NamedTuple):
    """Where the event with a number came from."""

    came: Came
    seq: int


def arrivals(events: pa.Table, sources: Mapping[str, int]) -> list[NumberedArrival]:
    """Where each event came from. `sources`: the archive's logs by name."""
    logs: Any = events["source"].cast(pa.string())
    numbers = [sources.get(name, 0) for name in logs.to_pylist()]
    rest = (events[name].to_pylist() for name in ("partition", "offset"))
    seqs = events["seq"].to_pylist()
    return [
        NumberedArrival(Came(*came), seq) for *came, seq in zip(numbers, *rest, seqs, strict=True)
    ]


def none_came_after(events: pa.Table, sources: Mapping[str, int]) -> Came:
    """What no event came after: the last one, where all came through one partition of one log. Of
    every table-day somebody asks this, so that it looks at no single event."""
    logs: Any = pc.unique(events["source"])
    number = max((sources.get(name, 0) for name in logs.cast(pa.string()).to_pylist()), default=0)
    return Came(number, pc.max(events["partition"]).as_py(), pc.max(events["offset"]).as_py())


def overtaken(
    own: Iterable[NumberedArrival], elsewhere: Iterable[NumberedArrival]
) -> dict[int, int]:
    """By number of a day's own events the nearest later one of another day that came before it."""
    waiting = sorted(elsewhere, reverse=True)
    came: list[int] = []
    out: dict[int, int] = {}
    there: set[int] = set()
    for one in sorted(own):
        if one.seq in there:  # again: its first time counts
            continue
        there.add(one.seq)
        while waiting and waiting[-1].came < one.came:
            insort(came, waiting.pop().seq)
        later = bisect_right(came, one.seq)
        if later < len(came):
            out[one.seq] = came[later]
    return out
