"""The journal: what the archive holds and how far it has read, committed in one step.

Files are written and synced first; then one transaction says how long they are, where their
messages came from and what lies in quarantine. Whatever a file holds beyond that never happened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from events.archive.errors import ArchiveError
from events.archive.segment import SegmentRow
from events.formats import ARCHIVE, FormatError
from events.runtime.modes import unseal

_BUSY_MS = 10_000
PUT_BACK = "put the right one back from a copy; the evidence beside it is untouched"

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- how far each log was read: the next offset, and the checksum of the last message before it
CREATE TABLE sources (
    number INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, stem TEXT NOT NULL,
    first_read_at TEXT NOT NULL);
CREATE TABLE positions (
    source TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL, last_sha256 BLOB,
    PRIMARY KEY (source, partition)) WITHOUT ROWID;
-- what was strange about a log: made anew, offsets gone, damaged
CREATE TABLE source_events (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, partition INTEGER, kind TEXT NOT NULL,
    first_offset INTEGER, last_offset INTEGER, day TEXT, message TEXT NOT NULL,
    noted_at TEXT NOT NULL);

CREATE TABLE segments (
    id INTEGER PRIMARY KEY, day TEXT NOT NULL, name TEXT NOT NULL, length INTEGER NOT NULL,
    sha256 BLOB NOT NULL, messages INTEGER NOT NULL, columned INTEGER NOT NULL,
    closed INTEGER NOT NULL);
CREATE INDEX segments_by_day ON segments (day);
CREATE TABLE columns (
    name TEXT PRIMARY KEY, day TEXT NOT NULL, rows INTEGER NOT NULL, size INTEGER NOT NULL,
    sha256 BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX columns_by_day ON columns (day);
-- files that others have taken the place of; they go after a while, because somebody may read them
CREATE TABLE retired (day TEXT NOT NULL, name TEXT PRIMARY KEY, retired_at TEXT NOT NULL)
    WITHOUT ROWID;

CREATE TABLE days (
    day TEXT PRIMARY KEY, revision INTEGER NOT NULL, complete INTEGER NOT NULL,
    changed INTEGER NOT NULL, published INTEGER NOT NULL,
    first_at TEXT, last_at TEXT) WITHOUT ROWID;
CREATE TABLE reopenings (
    day TEXT NOT NULL, revision INTEGER NOT NULL, reopened_at TEXT NOT NULL, why TEXT NOT NULL,
    PRIMARY KEY (day, revision)) WITHOUT ROWID;
CREATE TABLE day_types (
    day TEXT NOT NULL, type TEXT NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (day, type))
    WITHOUT ROWID;
CREATE TABLE day_tables (
    day TEXT NOT NULL, table_id TEXT NOT NULL, events INTEGER NOT NULL,
    first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,
    -- where its first event came from; what comes later comes from further on
    first_source INTEGER NOT NULL, first_partition INTEGER NOT NULL, first_offset INTEGER NOT NULL,
    PRIMARY KEY (day, table_id)) WITHOUT ROWID;
CREATE INDEX days_by_table ON day_tables (table_id, day);

CREATE TABLE indexes (
    day TEXT PRIMARY KEY, name TEXT NOT NULL, rounds INTEGER NOT NULL, size INTEGER NOT NULL,
    sha256 BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, partition INTEGER NOT NULL,
    "offset" INTEGER NOT NULL, "key" BLOB, raw BLOB NOT NULL, reason TEXT NOT NULL,
    kind TEXT NOT NULL, table_id TEXT, round TEXT, seq INTEGER, day TEXT NOT NULL,
    noted_at TEXT NOT NULL, forwarded INTEGER NOT NULL DEFAULT 0,
    UNIQUE (source, partition, "offset"));
CREATE INDEX quarantine_by_day ON quarantine (day);
CREATE INDEX quarantine_unforwarded ON quarantine (id) WHERE forwarded = 0;
"""

ARRIVALS_SCHEMA = """
CREATE TABLE quarantine_arrivals (
    source TEXT NOT NULL, partition INTEGER NOT NULL, "offset" INTEGER NOT NULL,
    arrived INTEGER NOT NULL, PRIMARY KEY (source, partition, "offset")) WITHOUT ROWID;
"""
"""When what lies in quarantine arrived, in microseconds since 1970: it is judged again by that. A
table of its own, because the seal over the quarantine is over its lines as they always were."""

ROUNDS_SCHEMA = """
CREATE TABLE rounds (
    round TEXT NOT NULL, stretch INTEGER NOT NULL, day TEXT NOT NULL, table_id TEXT NOT NULL,
    first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,
    first_us INTEGER NOT NULL, last_us INTEGER NOT NULL,
    segment INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    events INTEGER NOT NULL, PRIMARY KEY (round, stretch)) WITHOUT ROWID;
CREATE INDEX rounds_by_table ON rounds (table_id, first_us);
"""
"""Where a round's events lie in the evidence: one row per stretch of blocks, mostly one in all."""


def open_journal(path: Path, *, write: bool) -> sqlite3.Connection:
    """The journal of an existing archive, in a format that can be read, or written."""
    db = connect_journal(path, write=write)
    try:
        ARCHIVE.check(get_about(db, "format"), path, write=write)
    except FormatError:
        db.close()
        raise
    return db


def connect_journal(path: Path, *, write: bool) -> sqlite3.Connection:
    """The journal, whatever its format."""
    if not path.exists():
        raise ArchiveError(
            f"{path.parent}: there is no archive here; evenhand ingest makes one"
            if not any(path.parent.glob("*/evidence-*.avro"))
            else f"{path}: the archive's journal is missing; put it back before anything else"
        )
    mode = "rw" if write else "ro"
    try:
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)
        db.isolation_level = None
        db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        if write:
            db.execute("PRAGMA synchronous = FULL")
        get_about(db, "format")
    except sqlite3.Error as error:
        raise ArchiveError(
            f"{path}: the archive's journal is damaged: {error}; {PUT_BACK}"
        ) from None
    return db


def create_journal(path: Path, archive_id: str) -> None:
    """A new, empty journal; there whole or not at all."""
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)
    db = sqlite3.connect(draft)
    try:
        db.executescript(
            "PRAGMA synchronous = FULL; BEGIN;" + _SCHEMA + ROUNDS_SCHEMA + ARRIVALS_SCHEMA
        )
        about = {"format": str(ARCHIVE.version), "id": archive_id, "commit": "0", "file": "0"}
        db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        db.execute("COMMIT")
        # readers go on reading while an ingest writes
        db.execute("PRAGMA journal_mode = WAL")
    finally:
        db.close()
    unseal(draft)
    draft.replace(path)


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All of it or nothing, on the disk when this returns."""
    try:
        db.execute("BEGIN IMMEDIATE")
        yield db
        db.execute("COMMIT")
    except BaseException as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error):
            raise ArchiveError(
                f"the archive's journal can't be written: {error}; what was committed before is "
                f"safe, make room and run ingest again"
            ) from error
        raise


@contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Several questions answered from one moment of the journal."""
    if db.in_transaction:
        yield db
        return
    db.execute("BEGIN")
    try:
        yield db
    finally:
        db.execute("COMMIT")


def get_about(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])


def set_about(db: sqlite3.Connection, name: str, value: int) -> None:
    db.execute("UPDATE about SET value = ? WHERE name = ?", (str(value), name))


def segments_of(db: sqlite3.Connection, where: str, *values: object) -> list[SegmentRow]:
    """The journal's evidence files, oldest first."""
    rows = db.execute(f"SELECT * FROM segments WHERE {where} ORDER BY day, id", values)
    return [
        SegmentRow(r[0], date.fromisoformat(r[1]), r[2], r[3], r[4], r[5], r[6], bool(r[7]))
        for r in rows
    ]


def text_of(at: datetime) -> str:
    """A moment as the journal and the manifests write it, in the contract's form."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
