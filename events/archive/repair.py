"""Columns and index of a day made again from its evidence, where they were damaged or lost.

The evidence is the truth and must be whole; nothing of it is touched. The new files count from one
transaction on: whoever dies before it leaves the day as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from events.archive import rounds
from events.archive.column_buffer import FLUSH_ROWS, add_file, files_of
from events.archive.columns import in_order
from events.archive.derive import columns_of
from events.archive.errors import DamagedError, UnknownDayError
from events.archive.evidence import EvidenceFile
from events.archive.journal import segments_of, transaction
from events.archive.parquet import PASSING_GROUP, write_columns
from events.archive.segment import SegmentRow, digest_of
from events.archive.store import Store
from events.archive.summary import summarise


@dataclass(slots=True)
class Repaired:
    """What was made again."""

    day: date
    complete: bool
    events: int = 0
    rounds: int = 0


def derive_again(store: Store, day: date) -> Repaired:
    """Make the day's columns and index again and let them take the place of what is there."""
    text = day.isoformat()
    known = store.db.execute("SELECT complete FROM days WHERE day = ?", (text,)).fetchone()
    segments = segments_of(store.db, "day = ?", text)
    if known is None or not segments:
        raise UnknownDayError(f"day {day}: the archive has no evidence of it")
    for row in segments:
        _must_be_whole(store, row)
    done = Repaired(day, bool(known[0]))
    with transaction(store.db) as db:
        db.execute("DELETE FROM rounds WHERE day = ?", (text,))
        fresh = list(_files(store, day, segments, done))
        for old in files_of(store, day):
            db.execute("DELETE FROM columns WHERE name = ?", (old,))
            store.retire(day, old)
        for (old,) in db.execute("SELECT name FROM indexes WHERE day = ?", (text,)).fetchall():
            db.execute("DELETE FROM indexes WHERE name = ?", (old,))
            store.retire(day, old)
        for name, rows in fresh:
            add_file(store, day, name, rows)
        db.execute("UPDATE segments SET columned = length WHERE day = ?", (text,))
        # the one sorted file and the index of its own come with the day's completion
        db.execute("UPDATE days SET complete = 0 WHERE day = ?", (text,))
        counted = db.execute("SELECT count(DISTINCT round) FROM rounds WHERE day = ?", (text,))
        done.rounds = int(counted.fetchone()[0])
        store.count_commit()
        store.changed(day)
    return done


def _must_be_whole(store: Store, row: SegmentRow) -> None:
    path = store.layout.file(row.day, row.name)
    digest = digest_of(path, row.length)
    if digest is None or digest.digest() != row.sha256:
        found = "the file is missing or shorter" if digest is None else "other bytes"
        raise DamagedError(
            f"{path}: expected the {row.length} bytes of evidence that the journal knows, found "
            f"{found}; put the file back from a copy first: nothing was changed"
        )


def _files(
    store: Store, day: date, segments: list[SegmentRow], done: Repaired
) -> Iterator[tuple[str, int]]:
    """New column files; the rounds of their events go into the journal on the way."""
    waiting: list[pa.Table] = []
    for part in _parts(store, day, segments):
        waiting.append(part)
        done.events += part.num_rows
        if sum(t.num_rows for t in waiting) >= FLUSH_ROWS:
            yield _write(store, day, waiting)
            waiting = []
    if waiting:
        yield _write(store, day, waiting)


def _parts(store: Store, day: date, segments: list[SegmentRow]) -> Iterator[pa.Table]:
    index = rounds.RoundIndex(store.db, store.layout)
    seen: set[str] = set()
    for row in segments:
        with EvidenceFile(store.layout.file(day, row.name)) as file:
            for block in file.blocks(0, row.length):
                part = columns_of(day, block.messages)
                summary = summarise(part, [(block.start, block.end)], part.num_rows)
                for sighting in summary.rounds:
                    if sighting.round not in seen:
                        seen.add(sighting.round)
                        index.begin(sighting.round, day)
                rounds.write(store.db, index.add(day, row.id, summary.rounds))
                yield part


def _write(store: Store, day: date, waiting: list[pa.Table]) -> tuple[str, int]:
    table = in_order(pa.concat_tables(waiting))
    name = f"columns-{store.next_number()}.parquet"
    write_columns(store.layout.file(day, name), [table], PASSING_GROUP)
    return name, table.num_rows
