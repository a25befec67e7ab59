"""When a day is over: its columns become one sorted file, and its index a file of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date, timedelta
from heapq import merge as merge_sorted

from events.archive.column_buffer import files_of, merge
from events.archive.journal import segments_of, transaction
from events.archive.rounds import IndexFile, Stretch, stretches_of, write_index_file
from events.archive.store import Store
from events.days import GamingDay
from events.runtime.digest import file_sha256
from events.runtime.durable import sync_folder
from events.runtime.modes import seal

LET_ROUNDS_END = timedelta(hours=1)
FEW_FILES = 8
FEW_ROWS = 1_000
"""What a reopened day may have beside its sorted file before it is worth sorting all again."""


def days_over(store: Store, gaming_day: GamingDay, *, following: bool) -> list[date]:
    """The days that are not complete and whose time is over.

    An ingest that follows the log lets the rounds that ran at the turn of the day end first, for
    an hour at most.
    """
    now, found = store.now(), []
    rows = store.db.execute("SELECT day FROM days WHERE complete = 0 ORDER BY day").fetchall()
    for (text,) in rows:
        day = date.fromisoformat(text)
        end = gaming_day.end_of(day)
        if now >= end and not (
            following and now < end + LET_ROUNDS_END and _rounds_running(store, text)
        ):
            found.append(day)
    return found


def _rounds_running(store: Store, day: str) -> bool:
    sql = "SELECT type, events FROM day_types WHERE day = ?"
    types = dict(store.db.execute(sql, (day,)).fetchall())
    return int(types.get("RoundOpened", 0)) > int(types.get("RoundClosed", 0))


def complete(store: Store, day: date) -> None:
    """Tidy a day whose evidence is closed and whose columns are written, and call it complete."""
    compact(store, day)
    seal_index(store, day)
    for row in segments_of(store.db, "day = ? AND closed = 0", day.isoformat()):
        seal(store.layout.file(day, row.name))
    with transaction(store.db) as db:
        store.count_commit()
        db.execute("UPDATE segments SET closed = 1 WHERE day = ?", (day.isoformat(),))
        db.execute("UPDATE days SET complete = 1 WHERE day = ?", (day.isoformat(),))
        store.changed(day)


def compact(store: Store, day: date) -> None:
    """One column file for the day, sorted throughout, unless only a little came since the last."""
    names = files_of(store, day)
    if len(names) > (FEW_FILES if _sealed(store, day) else 1):
        merge(store, day, names)


def _sealed(store: Store, day: date) -> str | None:
    sql = "SELECT name FROM indexes WHERE day = ?"
    row = store.db.execute(sql, (day.isoformat(),)).fetchone()
    return None if row is None else str(row[0])


def seal_index(store: Store, day: date) -> None:
    """Move the day's rounds from the journal into a file of the day's own."""
    old, rows = _sealed(store, day), _rows_in_journal(store, day)
    if not rows or (old is not None and rows < FEW_ROWS):
        return
    name = f"rounds-{store.next_number()}.sqlite"
    path = store.layout.file(day, name)
    fresh = stretches_of(store.db, day)
    if old is None:
        count = write_index_file(path, fresh)
    else:
        with IndexFile(store.layout.file(day, old)) as known:
            count = write_index_file(
                path, _renumbered(known.ask("ORDER BY round, stretch", ()), fresh)
            )
    with path.open("rb") as file:
        os.fsync(file.fileno())
    seal(path)
    sync_folder(path.parent)
    values = (day.isoformat(), name, count, path.stat().st_size, file_sha256(path))
    with transaction(store.db) as db:
        store.count_commit()
        db.execute("INSERT OR REPLACE INTO indexes VALUES (?, ?, ?, ?, ?)", values)
        db.execute("DELETE FROM rounds WHERE day = ?", (day.isoformat(),))
        if old is not None:
            store.retire(day, old)


def _rows_in_journal(store: Store, day: date) -> int:
    sql = "SELECT count(*) FROM rounds WHERE day = ?"
    return int(store.db.execute(sql, (day.isoformat(),)).fetchone()[0])


def _renumbered(known: Iterator[Stretch], fresh: Iterator[Stretch]) -> Iterator[Stretch]:
    """Both in order, each round's stretches numbered through: an id may have come a second time."""
    last, number = None, 0
    for stretch in merge_sorted(known, fresh, key=lambda s: s.round):
        number = number + 1 if stretch.round == last else 0
        last = stretch.round
        yield stretch._replace(stretch=number)
