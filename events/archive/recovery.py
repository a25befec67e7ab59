"""Opening an archive for writing: what the last writer left unfinished is put right first."""

from __future__ import annotations

import re
import sqlite3
import uuid
from datetime import date, timedelta

from events.archive.about import must_be_ours, must_be_whole
from events.archive.column_buffer import ColumnBuffer
from events.archive.derive import columns_of
from events.archive.errors import DamagedError
from events.archive.evidence import EvidenceFile
from events.archive.journal import create_journal, open_journal, segments_of, transaction
from events.archive.layout import Layout
from events.archive.open_segments import OpenSegments
from events.archive.segment import SegmentRow
from events.archive.store import Store
from events.runtime.durable import sync_folder

RETIRED_FOR = timedelta(days=1)
_NUMBERED = re.compile(r"(?:evidence|columns|rounds)-(\d+)\.\w+(\.draft)?")


def open_or_create(layout: Layout) -> sqlite3.Connection:
    """The journal, made where there is no archive yet; never made where one has lost its own."""
    signs = layout.journal.exists() or layout.about.exists()
    if not signs and not any(layout.root.glob("*/evidence-*.avro")):
        create_journal(layout.journal, uuid.uuid4().hex)
        sync_folder(layout.root)
    db = open_journal(layout.journal, write=True)
    try:
        must_be_whole(db, layout)
        must_be_ours(db, layout)
    except BaseException:
        db.close()
        raise
    return db


def recover(store: Store, segments: OpenSegments, buffer: ColumnBuffer) -> list[str]:
    """Cut evidence back to what the journal knows, and make the columns that are still missing.

    The answer is what a person must hear.
    """
    _remove_strays(store)
    _remove_retired(store)
    return segments.recover() + _make_columns(store, buffer)


def _make_columns(store: Store, buffer: ColumnBuffer) -> list[str]:
    notices: list[str] = []
    last = None
    for row in segments_of(store.db, "columned < length"):
        if row.day != last and buffer.is_due():  # a day's columns are written all at once
            buffer.flush()
        last = row.day
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
