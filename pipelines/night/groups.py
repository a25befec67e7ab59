"""How a day is cut: consecutive tables, by the number of their events alone.

Never by cores: every engine cuts the same groups and so writes the same files. Groups are
consecutive in the order of the table ids, so the files of a day, read in order, hold the same rows
in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

LEAST_GROUPS = 8
"""Of a day that has so many tables and is not tiny, so that the last ones even out."""
LEAST_EVENTS, MOST_EVENTS = 20_000, 1_000_000
"""A smaller group costs more to hand out than to do; a larger one is lost with its machine."""
BATCH_EVENTS = 60_000
"""How many events a worker reads at a time; a busy table-day is about as large."""


@dataclass(frozen=True, slots=True)
class TableGroup:
    """Some tables of a day, the work of one process at a time."""

    number: int
    tables: tuple[tuple[str, int], ...]

    @property
    def events(self) -> int:
        return sum(events for _, events in self.tables)


def cut(tables: Mapping[str, int]) -> list[TableGroup]:
    """The day in groups; a day without tables is one empty group, so that its files exist."""
    known = sorted(tables.items())
    size = min(sum(tables.values()) // LEAST_GROUPS + 1, MOST_EVENTS)
    while True:
        size = max(size, LEAST_EVENTS)
        found = list(_stretches(known, size))
        if len(found) >= min(LEAST_GROUPS, len(known)) or size == LEAST_EVENTS:
            break
        size //= 2  # some table is far busier than the others
    return [TableGroup(n, tuple(some)) for n, some in enumerate(found or [[]])]


def batches(group: TableGroup) -> Iterator[list[str]]:
    """The tables of a group, a few at a time, so that memory does not grow with the day."""
    for some in _stretches(group.tables, BATCH_EVENTS):
        yield [table for table, _ in some]


def _stretches(tables: Sequence[tuple[str, int]], size: int) -> Iterator[list[tuple[str, int]]]:
    some: list[tuple[str, int]] = []
    events = 0
    for table, count in tables:
        if some and events + count > size:
            yield some
            some, events = [], 0
        some.append((table, count))
        events += count
    if some:
        yield some
