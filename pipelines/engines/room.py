"""What machines that see no folder of the house need of it, in an object store.

archive/DAY/columns-9-CHECKSUM.parquet   the archive's columns, put there once
jobs/JOB/                                journal, checkpoints and registry as they were when a job
                                         began, and what it alone needs; gone when it ends
runs/day=DAY/run=RUN/                    what its tasks wrote
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from events.archive.layout import Layout
from events.archive.reader import Archive
from events.objects import ObjectStore
from events.settings import Settings
from pipelines.engines.base import LOCAL

JOURNAL, TABLES = "journal.sqlite", "tables.toml"
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Room:
    """A job's own place in the store; it travels with the job's tasks."""

    store: ObjectStore
    job: str

    @property
    def prefix(self) -> str:
        return f"jobs/{self.job}"

    def made(self, name: str) -> str:
        """The key of something that a task hands over."""
        return f"{self.prefix}/made/{name}"

    def of_house(self, name: str) -> str:
        return f"{self.prefix}/house/{name}"

    def files(self) -> Path:
        """A folder with the house's few files, fetched once by each process."""
        return Path(_fetched(self).name) / "archive"

    def archive(self) -> Archive:
        """The archive as it was when the job began, its columns read in the store."""
        return Archive(self.files(), self.store)


@cache
def _fetched(room: Room) -> TemporaryDirectory[str]:
    home = TemporaryDirectory(prefix="evenhand-room-")  # goes with the process
    folder = Path(home.name) / "archive"
    folder.mkdir()
    for key in room.store.sizes(f"{room.prefix}/house"):
        room.store.get(key, folder / Path(key).name)
    return home


@contextmanager
def open_room(settings: Settings) -> Iterator[Room | None]:
    """A room for one job, with all columns of the archive beside it; None where the engine's
    machines see the home itself."""
    if settings.engine == LOCAL or not settings.object_store:
        yield None
        return
    room = Room(ObjectStore(settings.object_store), secrets.token_hex(8))
    with TemporaryDirectory(prefix="evenhand-room-") as scratch:
        files = _house_files(settings, Path(scratch))
        share_columns(settings.home / "archive", Path(scratch), room.store)
        try:
            for path in files:
                room.store.put(room.of_house(path.name), path)
            yield room
        finally:
            for key in room.store.sizes(room.prefix):
                room.store.drop(key)


def _house_files(settings: Settings, folder: Path) -> list[Path]:
    """The journal as of one moment, and what tasks read beside it."""
    with Archive(settings.home / "archive") as archive:
        copy = sqlite3.connect(folder / JOURNAL)
        with closing(copy):
            archive.db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    if settings.tables_file.exists():
        shutil.copyfile(settings.tables_file, folder / TABLES)
    return sorted(folder.iterdir())


def share_columns(archive: Path, journal: Path, store: ObjectStore) -> int:
    """Put every column file that the journal names and the store lacks there; how many."""
    there, here = store.sizes("archive"), Layout(archive)
    with Archive(journal) as known:
        missing = [
            (key, here.file(day, path.name))
            for day in known.days()
            for path, key in zip(known.column_files(day), known.column_keys(day), strict=True)
            if key not in there
        ]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda one: store.put(*one), missing))
    return len(missing)
