"""What a watcher has told, durably: so that a kill neither loses nor repeats a word.

One transaction says what was told and up to which message. What is open is not kept here: it is
made again from the archive and the log. Each word has a number; one that may or may not have been
printed when the watcher died is printed again under the same number.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from events.errors import EvenhandError
from events.formats import WATCH
from events.runtime.modes import make_folder, open_file
from pipelines.watch.told import LiveWord
from pipelines.watch.watcher import LatePlace

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- how far the log was told: the next offset, and the checksum of the message before it
CREATE TABLE positions (
    source TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL, sha256 BLOB,
    PRIMARY KEY (source, partition)) WITHOUT ROWID;
CREATE TABLE told (
    n INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT NOT NULL, id TEXT NOT NULL, table_id TEXT,
    round TEXT, body TEXT NOT NULL, open TEXT NOT NULL, dealer TEXT, changed INTEGER NOT NULL,
    opened_us INTEGER, told_at TEXT NOT NULL);
-- findings that were told and not withdrawn
CREATE TABLE standing (
    id TEXT PRIMARY KEY, n INTEGER NOT NULL, table_id TEXT, round TEXT, body TEXT NOT NULL,
    told_at TEXT NOT NULL, night TEXT, verdict TEXT) WITHOUT ROWID;
-- events of rounds that had left the window: the archive is asked about them once it has them
CREATE TABLE late (
    table_id TEXT NOT NULL, seq INTEGER NOT NULL, partition INTEGER NOT NULL,
    "offset" INTEGER NOT NULL, PRIMARY KEY (table_id, seq)) WITHOUT ROWID;
CREATE INDEX standing_by_round ON standing (table_id, round);
"""
_ROUNDS_KEPT = 2_000


class WatchError(EvenhandError):
    """A watcher that can't work. The text says where and what to do."""


class Numbered(NamedTuple):
    """A word and its number."""

    n: int
    word: LiveWord


class ToldPosition(NamedTuple):
    """Where to go on in a partition, and the checksum of the message before that."""

    next: int
    sha256: bytes | None


def outbox_file(home: Path, name: str) -> Path:
    """Where a watcher of that name keeps what it has told."""
    return home / "watch" / f"{name}.sqlite"


class WatchOutbox:
    """The outbox of one watcher, open for writing; there is one writer at a time."""

    def __init__(self, path: Path) -> None:
        make_folder(path.parent)
        self._lock = _locked(path.with_suffix(".lock"), path.stem)
        os.close(open_file(path, os.O_RDWR | os.O_CREAT))
        self.db = sqlite3.connect(path, isolation_level=None, timeout=10)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        if not self.db.execute("SELECT 1 FROM sqlite_master").fetchone():
            self.db.executescript(
                f"BEGIN;{_SCHEMA}INSERT INTO about VALUES ('format', '{WATCH.version}'), "
                f"('printed', '0');COMMIT"
            )
        WATCH.check(self._about("format"), path, write=True)
        self.db.execute("CREATE INDEX IF NOT EXISTS told_by_id ON told (id)")  # a finding's page
        self.db.execute('CREATE INDEX IF NOT EXISTS late_by_place ON late (partition, "offset")')

    def close(self) -> None:
        self.db.close()
        os.close(self._lock)

    def positions(self, source: str) -> dict[int, ToldPosition]:
        """How far a log was told."""
        sql = "SELECT partition, next, sha256 FROM positions WHERE source = ?"
        return {p: ToldPosition(next_, sha) for p, next_, sha in self.db.execute(sql, (source,))}

    def of(self, table: str, round_: str | None) -> Mapping[str, str]:
        """The findings that stand, of a round or of a table besides its rounds."""
        sql = "SELECT id, body FROM standing WHERE table_id = ? AND round IS ?"
        return dict(self.db.execute(sql, (table, round_)).fetchall())

    def stands(self, id_: str) -> str | None:
        """The text of a finding that stands."""
        row = self.db.execute("SELECT body FROM standing WHERE id = ?", (id_,)).fetchone()
        return None if row is None else str(row[0])

    def commit(
        self,
        words: Iterable[LiveWord],
        source: str,
        positions: Mapping[int, ToldPosition],
        late: Iterable[LatePlace] = (),
        asked: Iterable[tuple[str, int]] = (),
    ) -> list[Numbered]:
        """Words told, and up to where the log was read: both or neither. Gives them numbers.

        late: events that the archive is to be asked about.
        asked: table and number of those that it was asked about.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        out = []
        self.db.execute("BEGIN IMMEDIATE")
        try:
            for word in words:
                n = self._add(word, now)
                if n is not None:
                    out.append(Numbered(n, word))
            self.db.executemany(
                "INSERT OR REPLACE INTO late VALUES (?, ?, ?, ?)",
                [(e.table, e.seq, partition, offset) for e, partition, offset in late],
            )
            self.db.executemany("DELETE FROM late WHERE table_id = ? AND seq = ?", asked)
            self.db.executemany(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?)",
                [(source, p, at.next, at.sha256) for p, at in positions.items()],
            )
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")
        return out

    def _add(self, word: LiveWord, now: str) -> int | None:
        """The word's number; None where it says nothing new."""
        if word.what != "round":
            stands = self.stands(word.id)
            if stands == (word.body if word.what == "finding" else None):
                return None
        row = (word.what, word.id, word.table, word.round, word.body, json.dumps(word.open))
        cursor = self.db.execute(
            "INSERT INTO told (what, id, table_id, round, body, open, dealer, changed, opened_us, "
            "told_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, word.dealer, word.changed, word.opened_us, now),
        )
        n = int(cursor.lastrowid or 0)
        if word.what == "withdrawn":
            self.db.execute("DELETE FROM standing WHERE id = ?", (word.id,))
        elif word.what == "finding":
            self.db.execute(
                "INSERT OR REPLACE INTO standing (id, n, table_id, round, body, told_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (word.id, n, word.table, word.round, word.body, now),
            )
        return n

    def waits(self) -> bool:
        """Whether there are late events that the archive was not asked about yet."""
        return self.db.execute("SELECT 1 FROM late LIMIT 1").fetchone() is not None

    def ready(self, archived: Mapping[int, int], most: int) -> dict[str, list[int]]:
        """So many of them that the archive has by now: by table their numbers."""
        sql = 'SELECT table_id, seq FROM late WHERE partition = ? AND "offset" < ? LIMIT ?'
        rows = [row for at in archived.items() for row in self.db.execute(sql, (*at, most))]
        out: dict[str, list[int]] = {}
        for table, seq in sorted(rows):
            out.setdefault(table, []).append(seq)
        return out

    def unprinted(self) -> list[Numbered]:
        """Words of which nobody knows whether they were printed."""
        return words_after(self.db, int(self._about("printed")))

    def printed(self, n: int) -> None:
        """Everything up to here was printed. How rounds came out is kept for a while only."""
        self.db.execute("BEGIN IMMEDIATE")
        self.db.execute("UPDATE about SET value = ? WHERE name = 'printed'", (str(n),))
        self.db.execute("DELETE FROM told WHERE what = 'round' AND n < ?", (n - _ROUNDS_KEPT,))
        self.db.execute("COMMIT")

    def _about(self, name: str) -> str:
        return str(self.db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()[0])


def words_after(db: sqlite3.Connection, last: int, most: int = -1) -> list[Numbered]:
    """What was told after a number, in order."""
    sql = (
        "SELECT n, what, id, table_id, round, body, open, dealer, changed, opened_us FROM told "
        "WHERE n > ? ORDER BY n LIMIT ?"
    )
    out = []
    for n, what, id_, table, round_, body, rest, who, changed, us in db.execute(sql, (last, most)):
        still = tuple(json.loads(rest))
        word = LiveWord(what, id_, table, round_, body, still, who, bool(changed), us)
        out.append(Numbered(n, word))
    return out


def _locked(path: Path, name: str) -> int:
    """Held until the process ends in any way."""
    fd = open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip()
        os.close(fd)
        raise WatchError(
            f"{path}: a watcher of the name {name} runs already (process {holder}); give this one "
            f"another with --name, or stop that one"
        ) from None
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
    return fd
