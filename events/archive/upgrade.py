"""Moving an archive to the format of this code, one version at a time.

A step and the new version number are one transaction of the journal: whoever is killed leaves the
archive in the version before or in the one after. What a step does to files it does before it
returns and in a way that can be done twice; evidence is never touched.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from events.archive.about import must_be_ours, must_be_whole, publish_about
from events.archive.journal import (
    ARRIVALS_SCHEMA,
    connect_journal,
    get_about,
    set_about,
    transaction,
)
from events.archive.layout import Layout
from events.archive.lock import Lock
from events.archive.store import Store, utc_now
from events.formats import ARCHIVE, Format

ArchiveStep = Callable[[sqlite3.Connection, Layout], str]
"""Within a transaction: from a version to the next. Says what it did."""


def _keep_arrivals(db: sqlite3.Connection, _: Layout) -> str:
    """Evidence and columns stay as they are: what has no arrival counts at its own time."""
    db.execute(ARRIVALS_SCHEMA)
    return "from now on messages are kept with the time of their arrival"


STEPS: dict[int, ArchiveStep] = {1: _keep_arrivals}
"""By the version that a step begins from."""


def upgrade_archive(
    root: Path, steps: Mapping[int, ArchiveStep] = STEPS, target: Format = ARCHIVE
) -> list[str]:
    """Bring the archive to the format of this code; one sentence for each step that was taken."""
    layout = Layout(root)
    if archive_version(root, target) in {None, target.version}:
        return []
    lock = Lock(layout.lock)  # no ingest writes meanwhile
    try:
        db = connect_journal(layout.journal, write=True)
        try:
            found = target.version_of(get_about(db, "format"), layout.journal)
            must_be_whole(db, layout)  # what was changed by somebody else is not made ours
            must_be_ours(db, layout)
            store = Store(db, layout, utc_now)
            return [_step(store, v, steps[v]) for v in range(found, target.version)]
        finally:
            db.close()
    finally:
        lock.close()


def archive_version(root: Path, target: Format = ARCHIVE) -> int | None:
    """Only looked at, so that an archive in today's format may be in use; None: there is none."""
    journal = Layout(root).journal
    if not journal.exists():
        return None
    db = connect_journal(journal, write=False)
    try:
        return target.version_of(get_about(db, "format"), journal)
    finally:
        db.close()


def _step(store: Store, version: int, step: ArchiveStep) -> str:
    with transaction(store.db):
        said = step(store.db, store.layout)
        set_about(store.db, "format", version + 1)
        store.count_commit()  # archive.json knows what the journal said at the one before
    publish_about(store)
    return f"archive: format {version} became {version + 1}: {said}"
