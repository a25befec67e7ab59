"""The index from a round to its place in the evidence.

Rows of days that are still open stand in the journal; those of a complete day move to a file of
the day's own, so that the journal stays small however long the archive grows. A round's events
mostly lie within a few seconds of log, so one row with a first and a last byte finds them all; an
event that comes much later starts another stretch.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from events.archive.errors import DamagedError
from events.archive.journal import ROUNDS_SCHEMA, snapshot
from events.archive.layout import Layout

STRETCH_BYTES = 4 << 20
"""A gap of this many bytes of evidence is not read through: a new stretch begins after it."""

_REMEMBERED = 50_000
_COLUMNS = (
    "round, stretch, day, table_id, first_seq, last_seq, first_us, last_us, "
    "segment, start, stop, events"
)
_SELECT = f"SELECT {_COLUMNS} FROM rounds "
_UPSERT = f"""
INSERT INTO rounds ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (round, stretch) DO UPDATE SET
    first_seq = min(first_seq, excluded.first_seq), last_seq = max(last_seq, excluded.last_seq),
    first_us = min(first_us, excluded.first_us), last_us = max(last_us, excluded.last_us),
    stop = excluded.stop, events = events + excluded.events
"""


class Stretch(NamedTuple):
    """One run of evidence that holds events of a round. Times are microseconds since 1970."""

    round: str
    stretch: int
    day: str
    table_id: str
    first_seq: int
    last_seq: int
    first_us: int
    last_us: int
    segment: int
    start: int
    stop: int
    events: int


class _Last(NamedTuple):
    """What ingest must know of a round that goes on: its day, and where its last stretch ends."""

    day: date
    stretch: int
    segment: int
    stop: int


class RoundIndex:
    """The index as ingest writes it. Keeps the last few rounds in mind and asks for the others."""

    def __init__(self, db: sqlite3.Connection, layout: Layout) -> None:
        self._db, self._layout = db, layout
        self._known: dict[str, _Last] = {}

    def day_of(self, round_: str, *, opened: bool) -> date | None:
        """The day that a round belongs to, or None where it is new.

        Days that are complete are asked only for a round that was not opened just now: ids do not
        come back, and what a correction of last week needs is worth a look at every day.
        """
        known = self._known.get(round_) or self._from_journal(round_)
        if known is None and not opened:
            known = self._from_complete_days(round_)
        if known is None:
            return None
        self._known[round_] = known
        return known.day

    def asked_often(self) -> AbstractContextManager[object]:
        """Within it many questions cost the journal one look at its locks."""
        return snapshot(self._db)

    def begin(self, round_: str, day: date) -> None:
        """A round that was not known before: from now on it belongs to this day."""
        self._known[round_] = _Last(day, -1, -1, 0)

    def forget_old(self) -> None:
        """Between two batches: keep what memory holds from growing with history."""
        if len(self._known) > _REMEMBERED:
            for old in list(self._known)[: _REMEMBERED // 2]:
                del self._known[old]

    def _from_journal(self, round_: str) -> _Last | None:
        rows = self._db.execute(
            _SELECT + "WHERE round = ? ORDER BY stretch DESC LIMIT 1", (round_,)
        ).fetchall()
        return _last_of(rows)

    def _from_complete_days(self, round_: str) -> _Last | None:
        for stretches in _ask_days(self._db, self._layout, "WHERE round = ?", (round_,)):
            return _last_of(stretches[-1:])
        return None

    def add(self, day: date, segment: int, sightings: Iterable[Sighting]) -> list[Stretch]:
        """The rows of a batch's rounds, each of which day_of() or begin() has seen before."""
        rows = []
        for seen in sightings:
            # taken out and put back, so that the oldest stand first
            _, stretch, known_segment, stop = self._known.pop(seen.round)
            if known_segment != segment or seen.start - stop > STRETCH_BYTES:
                stretch += 1
            self._known[seen.round] = _Last(day, stretch, segment, seen.stop)
            rows.append(
                Stretch(
                    seen.round, stretch, day.isoformat(), seen.table, seen.first_seq,
                    seen.last_seq, seen.first_us, seen.last_us, segment, seen.start, seen.stop,
                    seen.events,
                )
            )  # fmt: skip
        return rows


class Sighting(NamedTuple):
    """Where a batch saw a round: its table, numbers and times, and the bytes of its blocks."""

    round: str
    table: str
    first_seq: int
    last_seq: int
    first_us: int
    last_us: int
    events: int
    start: int
    stop: int


def write(db: sqlite3.Connection, rows: Iterable[Stretch]) -> None:
    """Put a batch's rows into the journal, within its transaction."""
    db.executemany(_UPSERT, rows)


def ask_journal(
    db: sqlite3.Connection, where: str, values: tuple[object, ...]
) -> Iterator[Stretch]:
    """The answers of the open days."""
    for row in db.execute(_SELECT + where, values):
        yield Stretch(*row)


def stretches_of(db: sqlite3.Connection, day: date) -> Iterator[Stretch]:
    """A day's rows in the journal, by round."""
    return ask_journal(db, "WHERE day = ? ORDER BY round, stretch", (day.isoformat(),))


def _last_of(rows: list[Any]) -> _Last | None:
    if not rows:
        return None
    row = Stretch(*rows[-1])
    return _Last(date.fromisoformat(row.day), row.stretch, row.segment, row.stop)


def _ask_days(
    db: sqlite3.Connection, layout: Layout, where: str, values: tuple[object, ...]
) -> Iterable[list[Stretch]]:
    """The answers of every complete day's own index, newest day first."""
    days = db.execute("SELECT day, name FROM indexes ORDER BY day DESC").fetchall()
    for day, name in days:
        with IndexFile(layout.file(date.fromisoformat(day), name)) as index:
            found = list(index.ask(where, values))
        if found:
            yield found


class IndexFile:
    """The index of one complete day. It is never changed, only replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        try:
            self._db = sqlite3.connect(uri, uri=True)
        except sqlite3.Error as error:
            raise _unreadable(path, error) from None

    def __enter__(self) -> IndexFile:
        return self

    def __exit__(self, *exc: object) -> None:
        self._db.close()

    def ask(self, where: str, values: tuple[object, ...]) -> Iterator[Stretch]:
        try:
            for row in self._db.execute(_SELECT + where, values):
                yield Stretch(*row)
        except sqlite3.Error as error:
            raise _unreadable(self._path, error) from None


def _unreadable(path: Path, error: sqlite3.Error) -> DamagedError:
    return DamagedError(
        f"{path}: the index can't be read: {error}; evenhand repair {path.parent.name} makes it "
        f"again from the evidence"
    )


def write_index_file(path: Path, stretches: Iterable[Stretch]) -> int:
    """A complete day's index as a file of its own; how many rounds it has."""
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    try:
        db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + ROUNDS_SCHEMA)
        db.execute("BEGIN")
        db.executemany(_UPSERT, stretches)
        db.execute("COMMIT")
        row = db.execute("SELECT count(DISTINCT round) FROM rounds").fetchone()
    finally:
        db.close()
    return int(row[0])
