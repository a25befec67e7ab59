"""Where things lie in an archive: one folder per gaming day, one journal over all of them.

archive/journal.sqlite               what counts; see events/archive/journal.py
archive/archive.json                 which archive this is, and how far its journal once was
archive/ingest.lock                  held by the one ingest that writes
archive/2026-11-15/manifest.json     the day in figures, derived from the journal
archive/2026-11-15/evidence-7.avro   messages as they came
archive/2026-11-15/columns-9.parquet the same events as columns
archive/2026-11-15/rounds-12.sqlite  the index of a complete day, from round to place
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from events.runtime import modes
from events.runtime.durable import sync_folder


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one archive."""

    root: Path

    @property
    def journal(self) -> Path:
        return self.root / "journal.sqlite"

    @property
    def about(self) -> Path:
        return self.root / "archive.json"

    @property
    def lock(self) -> Path:
        return self.root / "ingest.lock"

    def folder(self, day: date) -> Path:
        return self.root / day.isoformat()

    def file(self, day: date, name: str) -> Path:
        return self.folder(day) / name

    def manifest(self, day: date) -> Path:
        return self.folder(day) / "manifest.json"


def make_folder(folder: Path) -> None:
    """A folder that is still there after the power failed."""
    if not folder.is_dir():
        modes.make_folder(folder)
        sync_folder(folder.parent)
