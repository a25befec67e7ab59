"""Sorted column files put together into one order, each of their rows read once.

Every file is read from its beginning to its end, a row group at a time; what the files have of a
table goes out as soon as none of them can have more of it. So the cost follows the rows, however
many files there are, and memory holds a row group of each file and what goes out next.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from events.archive.columns import in_order, stretches
from events.archive.parquet import ColumnFile

MERGE_ROWS = 200_000
"""How many rows of whole tables go out at a time."""
HELD_ROWS = 1_000_000
"""Rows of begun row groups that a merge holds at most: enough for the files of a casino-day."""


class _Waiting:
    """Rows that are read and not yet out, by table, and of each table in the order of the files."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[tuple[int, int, pa.Table]]] = {}

    def add(self, file: int, group: int, rows: pa.Table) -> None:
        for table, start, stop in stretches(rows):
            piece = (file, group, rows.slice(start, stop - start))
            self._pieces.setdefault(table, []).append(piece)

    def before(self, bound: str | None) -> list[str]:
        """The tables before one, in order; None: all."""
        return sorted(t for t in self._pieces if bound is None or t < bound)

    def rows_of(self, table: str) -> int:
        return sum(rows.num_rows for _, _, rows in self._pieces[table])

    def take(self, tables: Sequence[str]) -> pa.Table:
        out = []
        for table in tables:
            found = sorted(self._pieces.pop(table), key=lambda piece: piece[:2])
            out += [rows for _, _, rows in found]
        return in_order(pa.concat_tables(out))


def merged(paths: Sequence[Path]) -> Iterator[pa.Table]:
    """The rows of sorted files in order, some whole tables at a time."""
    files = [ColumnFile(path) for path in paths]
    heads = [(f.first_table(0), n, 0) for n, f in enumerate(files) if f.groups]
    heapq.heapify(heads)
    waiting = _Waiting()
    try:
        while heads:
            _, number, group = heapq.heappop(heads)
            file = files[number]
            waiting.add(number, group, file.read([group]))
            if group + 1 < file.groups:
                heapq.heappush(heads, (file.first_table(group + 1), number, group + 1))
            ready = waiting.before(heads[0][0] if heads else None)
            while ready and (not heads or sum(map(waiting.rows_of, ready)) >= MERGE_ROWS):
                some = _some(waiting, ready)
                yield waiting.take(some)
                ready = ready[len(some) :]
    finally:
        for file in files:
            file.close()


def _some(waiting: _Waiting, ready: list[str]) -> list[str]:
    """The first tables, as many as go out at a time and at least one."""
    rows = 0
    for n, table in enumerate(ready):
        rows += waiting.rows_of(table)
        if n and rows > MERGE_ROWS:
            return ready[:n]
    return ready


def mergeable(paths: Sequence[Path]) -> int:
    """How many of these files, the first ones, may be merged at a time; two at least."""
    held = 0
    for n, path in enumerate(paths):
        with ColumnFile(path) as file:
            held += file.largest_group()
        if held > HELD_ROWS:
            return max(n, 2)
    return len(paths)
