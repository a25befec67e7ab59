"""Columns on their way to the disk: kept in memory until a file of them is worth writing.

The evidence is committed every few seconds, its columns in larger pieces, so that a day leaves
dozens of files and not thousands. The journal knows how far the columns go; what a crash took from
memory is made again from the evidence.
"""

from __future__ import annotations

import time
from datetime import date

import pyarrow as pa

from events.archive.columns import in_order
from events.archive.journal import transaction
from events.archive.merging import mergeable, merged
from events.archive.parquet import PASSING_GROUP, ROWS_PER_GROUP, write_columns
from events.archive.store import Store
from events.runtime.digest import file_sha256

FLUSH_ROWS = 400_000
FLUSH_PARTS = 5_000
"""Pieces that wait at most: one of a single row takes as much memory as one of a hundred."""
FLUSH_AFTER_S = 300.0
MANY_FILES = 16


class ColumnBuffer:
    """What is committed as evidence and not yet written as columns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._parts: dict[date, list[pa.Table]] = {}
        self._rows = self._pieces = 0
        self._since = time.monotonic()

    def add(self, day: date, table: pa.Table) -> None:
        """Columns of messages that the journal has."""
        if not self._rows:
            self._since = time.monotonic()
        self._parts.setdefault(day, []).append(table)
        self._rows += table.num_rows
        self._pieces += 1

    def is_due(self) -> bool:
        old = self._rows > 0 and time.monotonic() - self._since > FLUSH_AFTER_S
        return old or self._rows >= FLUSH_ROWS or self._pieces >= FLUSH_PARTS

    def flush(self) -> None:
        """Write everything, one file per day, and let the journal know."""
        parts, self._parts = self._parts, {}
        self._rows = self._pieces = 0
        for day in sorted(parts):
            # taken out, so that the pieces are gone when the sorted copy is made
            self._write(day, in_order(pa.concat_tables(parts.pop(day))))
            if len(small_files(self._store, day)) >= MANY_FILES:
                merge(self._store, day, small_files(self._store, day))

    def _write(self, day: date, table: pa.Table) -> None:
        store = self._store
        name = f"columns-{store.next_number()}.parquet"
        write_columns(store.layout.file(day, name), [table], PASSING_GROUP)
        with transaction(store.db):
            store.count_commit()
            add_file(store, day, name, table.num_rows)
            store.db.execute(
                "UPDATE segments SET columned = length WHERE day = ?", (day.isoformat(),)
            )
            store.changed(day)


def add_file(store: Store, day: date, name: str, rows: int) -> None:
    """Within a transaction: a column file that is on the disk counts from now on."""
    path = store.layout.file(day, name)
    values = (name, day.isoformat(), rows, path.stat().st_size, file_sha256(path))
    store.db.execute("INSERT INTO columns VALUES (?, ?, ?, ?, ?)", values)


def files_of(store: Store, day: date) -> list[str]:
    """The day's column files."""
    rows = store.db.execute("SELECT name FROM columns WHERE day = ?", (day.isoformat(),))
    return sorted(r[0] for r in rows)


def small_files(store: Store, day: date) -> list[str]:
    """The day's column files that are worth putting together."""
    rows = store.db.execute(
        "SELECT name FROM columns WHERE day = ? AND rows < ?", (day.isoformat(), FLUSH_ROWS // 2)
    )
    return sorted(r[0] for r in rows)


def merge(store: Store, day: date, names: list[str]) -> None:
    """Put column files together into one that is sorted throughout; the old ones go later.

    Where they are too many to be read side by side, just so many become one first that the rest
    are not: what is merged twice is written twice.
    """
    while (most := mergeable([store.layout.file(day, name) for name in names])) < len(names):
        first = min(most, len(names) - most + 1)
        made = _merge(store, day, names[:first], PASSING_GROUP)
        names = [*names[first:], made]
    _merge(store, day, names, ROWS_PER_GROUP)


def _merge(store: Store, day: date, names: list[str], rows_per_group: int) -> str:
    paths = [store.layout.file(day, name) for name in names]
    name = f"columns-{store.next_number()}.parquet"
    rows = write_columns(store.layout.file(day, name), merged(paths), rows_per_group)
    with transaction(store.db):
        store.count_commit()
        for old in names:
            store.db.execute("DELETE FROM columns WHERE name = ?", (old,))
            store.retire(day, old)
        add_file(store, day, name, rows)
        store.changed(day)
    return name
