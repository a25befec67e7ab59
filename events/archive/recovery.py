"""Opening an archive for writing: what the last writer left unfinished is put right first."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from datetime import date, timedelta

from events.archive.column_buffer import ColumnBuffer
from events.archive.derive import columns_of
from events.archive.errors import ArchiveError, DamagedError
from events.archive.evidence import EvidenceFile
from events.archive.journal import create_journal, get_about, open_journal, segments_of, transaction
from events.archive.layout import Layout
from events.archive.segment import SegmentRow, SegmentWriter
from events.archive.store import Store
from events.durable import sync_folder, write_whole

RETIRED_FOR = timedelta(days=1)
_NUMBERED = re.compile(r"(?:evidence|columns|rounds)-(\d+)\.\w+(\.draft)?")


def open_or_create(layout: Layout) -> sqlite3.Connection:
    """The journal, made where there is no archive yet; never made where one has lost its own."""
    signs = layout.journal.exists() or layout.about.exists()
    if not signs and not any(layout.root.glob("*/evidence-*.avro")):
        create_journal(layout.journal, uuid.uuid4().hex)
        sync_folder(layout.root)
    db = open_journal(layout.journal, write=True)
    _check_age(db, layout)
    return db


def _check_age(db: sqlite3.Connection, layout: Layout) -> None:
    """An older copy of the journal would cut off evidence that it does not know of: refused."""
    try:
        about = json.loads(layout.about.read_text("utf-8"))
        was, ours = int(about["commit"]), about["id"] == get_about(db, "id")
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        raise ArchiveError(f"{layout.about}: expected JSON with id and commit") from None
    commit = int(get_about(db, "commit"))
    if not ours or commit < was:
        found = f"one of commit {commit}" if ours else "the journal of another archive"
        raise ArchiveError(
            f"{layout.journal}: expected the journal as of commit {was} or later, found {found}; "
            f"put the right one back, because an older one would cut off evidence"
        )


def publish_about(store: Store) -> None:
    """Write down beside the journal how far it is."""
    about = {"id": get_about(store.db, "id"), "commit": store.commit}
    write_whole(store.layout.about, (json.dumps(about) + "\n").encode())


def recover(store: Store, segments: dict[date, SegmentWriter], buffer: ColumnBuffer) -> list[str]:
    """Cut evidence back to what the journal knows, and make the columns that are still missing.

    `segments` gets the files that ingest goes on writing. The answer is what a person must hear.
    """
    _remove_strays(store)
    _remove_retired(store)
    notices = []
    for row in segments_of(store.db, "closed = 0"):
        path = store.layout.file(row.day, row.name)
        writer = SegmentWriter.resume(path, row)
        if writer is not None:
            segments[row.day] = writer
            continue
        notices.append(
            f"{path}: the evidence is not what the journal says it was; it stays as it is, a new "
            f"file is begun, and evenhand verify tells more"
        )
        with transaction(store.db) as db:
            db.execute("UPDATE segments SET closed = 1 WHERE id = ?", (row.id,))
    notices += _make_columns(store, buffer)
    return notices


def _make_columns(store: Store, buffer: ColumnBuffer) -> list[str]:
    notices = []
    for row in segments_of(store.db, "columned < length"):
        try:
            _columns_of(store, row, buffer)
        except DamagedError as error:
            notices.append(f"{error}; its columns can't be made")
    buffer.flush()
    return notices


def _columns_of(store: Store, row: SegmentRow, buffer: ColumnBuffer) -> None:
    with EvidenceFile(store.layout.file(row.day, row.name)) as file:
        for block in file.blocks(row.columned, row.length):
            buffer.add(row.day, columns_of(row.day, block.messages))


def _remove_strays(store: Store) -> None:
    """Files that a writer began and did not live to enter into the journal."""
    for path in store.layout.root.glob("*/*-*.*"):
        named = _NUMBERED.fullmatch(path.name)
        if named and (named[2] or int(named[1]) > store.number):
            path.unlink()


def _remove_retired(store: Store) -> None:
    """Files that were replaced long enough ago that nobody reads them any more."""
    before = (store.now() - RETIRED_FOR).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    sql = "SELECT day, name FROM retired WHERE retired_at < ?"
    for day, name in store.db.execute(sql, (before,)).fetchall():
        store.layout.file(date.fromisoformat(day), name).unlink(missing_ok=True)
        with transaction(store.db) as db:
            db.execute("DELETE FROM retired WHERE name = ?", (name,))
