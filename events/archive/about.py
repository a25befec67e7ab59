"""archive.json: which archive this is, how far its journal once was, and what the journal said.

The journal is one file over everything. An older copy of it would cut off evidence that it does not
know of, and a changed one would send readers astray; both are noticed by what is written here.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from events.archive.errors import DamagedError
from events.archive.journal import PUT_BACK, get_about, snapshot
from events.archive.layout import Layout
from events.archive.store import Store
from events.runtime.durable import write_whole

_TABLES = {
    "about": "name, value",
    "sources": "number, source, stem, first_read_at",
    "positions": "source, partition, next, last_sha256",
    "segments": "id, day, name, length, sha256, messages",
    "columns": "name, day, rows, size, sha256",
    "indexes": "day, name, rounds, size, sha256",
    "days": "day, revision, complete, changed, first_at, last_at",
    "reopenings": "day, revision, reopened_at, why",
}
"""What changes only with a counted commit and stays small: a few rows for each day. What each day
holds is checked against its evidence."""


@dataclass(frozen=True, slots=True)
class About:
    """What archive.json says. `digest` is null where an earlier version wrote it."""

    id: str
    commit: int
    digest: str | None = None

    def encode(self) -> bytes:
        out: dict[str, Any] = {"id": self.id, "commit": self.commit}
        if self.digest is not None:
            out["journal"] = self.digest
            out["sha256"] = hashlib.sha256(json.dumps(out).encode()).hexdigest()
        return (json.dumps(out) + "\n").encode()


def publish_about(store: Store) -> None:
    """Write down beside the journal how far it is, and what it says."""
    about = About(get_about(store.db, "id"), store.commit, journal_digest(store.db))
    write_whole(store.layout.about, about.encode())


def journal_digest(db: sqlite3.Connection) -> str:
    """A checksum of what the journal says, whatever its pages look like."""
    digest = hashlib.sha256()
    with snapshot(db):
        for table, columns in _TABLES.items():
            digest.update(f"{table}\n".encode())
            for row in db.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2"):
                digest.update(repr(row).encode())
    return digest.hexdigest()


def must_be_whole(db: sqlite3.Connection, layout: Layout) -> None:
    """A journal that SQLite itself can't read through is a DamagedError."""
    try:
        found = [str(r[0]) for r in db.execute("PRAGMA integrity_check(1)").fetchall()]
    except sqlite3.DatabaseError as error:
        raise damaged_journal(layout, error) from None
    if found != ["ok"]:
        raise damaged_journal(layout, ValueError(" ".join(found[0].split())))


def must_be_ours(db: sqlite3.Connection, layout: Layout) -> None:
    """A journal that says something else than archive.json knows of it is a DamagedError."""
    try:
        with snapshot(db):
            _compare(db, layout, read_about(layout))
    except (sqlite3.DatabaseError, ValueError) as error:  # a text or a number that is none any more
        raise damaged_journal(layout, error) from None


def damaged_journal(layout: Layout, error: Exception) -> DamagedError:
    return DamagedError(f"{layout.journal}: the archive's journal is damaged: {error}; {PUT_BACK}")


def _compare(db: sqlite3.Connection, layout: Layout, about: About | None) -> None:
    if about is None:
        return
    commit, ours = int(get_about(db, "commit")), about.id == get_about(db, "id")
    if not ours or commit < about.commit:
        found = f"one of commit {commit}" if ours else "the journal of another archive"
        raise DamagedError(
            f"{layout.journal}: expected the journal as of commit {about.commit} or later, found "
            f"{found}; put the right one back, because an older one would cut off evidence"
        )
    if about.digest is not None and commit == about.commit and journal_digest(db) != about.digest:
        raise DamagedError(
            f"{layout.journal}: the archive's journal says something else than it did at commit "
            f"{commit}, by {layout.about.name}; {PUT_BACK}"
        )


def read_about(layout: Layout) -> About | None:
    """archive.json as it stands; None where a first ingest has not written it yet."""
    try:
        content = layout.about.read_bytes()
    except FileNotFoundError:
        return None
    try:
        found = json.loads(content)
        about = About(found["id"], found["commit"], found.get("journal"))
        whole = isinstance(about.commit, int) and about.encode() == content
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise DamagedError(
            f"{layout.about}: expected id, commit and checksums as ingest wrote them, found other "
            f"bytes; put it back from a copy, or, where the journal is surely the right one, "
            f"remove it: the next ingest writes it again"
        )
    return about
