"""What of a home goes into a backup, in which order, so that the copy is of one moment.

Everything runs on meanwhile. What was published comes first, then the small files of the home, then
the journal, then what the journal names: an older catalogue with a newer archive is a home whose
night has not run yet, and checkpoints never know of more than the journal.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from events.archive import manifest
from events.archive.journal import connect_journal, get_about
from events.archive.layout import Layout
from events.log.files.segment import list_segments
from events.runtime.modes import in_force

ARCHIVE, LOG, WAREHOUSE, DAGSTER = "archive", "log", "warehouse", "dagster"
_LEFT_OUT = ("kafka", "restored", "logs")
"""Folders that are nobody's record: the local broker's data (the archive has what it carried), and
what our own processes say while they run."""
_PRIVATE = (b"PRIVATE+KEY+", b"-----BEGIN")
_DATABASES = (".sqlite", ".db")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to be copied: only its first `length` bytes where more is not committed yet. A
    `growing` one is read each time; of the others the disk's word is enough that nothing changed.
    `sha256`: what the journal says of the content."""

    path: str
    source: Path
    length: int | None = None
    sha256: str | None = None
    growing: bool = False


def small_files(home: Path, *, with_keys: bool) -> tuple[list[Wanted], list[str]]:
    """What lies beside archive, log and warehouse, and which of it is left out."""
    wanted, left_out = [], []
    for path in _walk(home):
        relative = path.relative_to(home).as_posix()
        top = relative.split("/", 1)[0]
        if top in {ARCHIVE, LOG, WAREHOUSE, DAGSTER} or path.name.endswith(
            (".lock", ".new", ".board")
        ):
            continue
        if top in _LEFT_OUT:
            continue
        if not with_keys and _is_private(path):
            left_out.append(relative)
            continue
        wanted.append(Wanted(relative, path, growing=True))
    return wanted, left_out


def _walk(folder: Path) -> Iterator[Path]:
    for root, names, files in os.walk(folder):
        names.sort()
        for name in sorted(files):
            path = Path(root, name)
            if path.is_file() and not path.is_symlink() and not name.endswith(("-wal", "-shm")):
                yield path


def _is_private(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16).startswith(_PRIVATE)


def is_database(path: str) -> bool:
    """Whether SQLite itself has to copy it, because somebody may be writing."""
    return path.endswith(_DATABASES)


def copy_database(source: Path, target: Path) -> None:
    """One moment of a database, whoever writes to it meanwhile."""
    target.unlink(missing_ok=True)
    ours = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    copy = sqlite3.connect(target)
    try:
        ours.backup(copy)
    finally:
        copy.close()
        ours.close()


def archive_files(home: Path, journal: Path) -> tuple[str, list[Wanted]]:
    """The archive's id, and what a copy of its journal names."""
    layout = Layout(home / ARCHIVE)
    db = connect_journal(journal, write=False)
    try:
        segments = db.execute("SELECT day, name, length, sha256, closed FROM segments").fetchall()
        others = db.execute(
            "SELECT day, name, sha256 FROM columns UNION ALL SELECT day, name, sha256 FROM indexes"
        ).fetchall()
        manifests = _manifests(db, journal.parent)
        id_ = get_about(db, "id")
    finally:
        db.close()
    wanted = [
        Wanted(f"{ARCHIVE}/{day}/{name}", layout.root / day / name, length, sha.hex(), not closed)
        for day, name, length, sha, closed in segments
    ]
    wanted += [
        Wanted(f"{ARCHIVE}/{day}/{name}", layout.root / day / name, None, sha.hex())
        for day, name, sha in others
    ]
    return id_, wanted + manifests


def _manifests(db: sqlite3.Connection, scratch: Path) -> list[Wanted]:
    """Derived from the journal's copy: those in the home may already know of what came later."""
    out = []
    for (text,) in db.execute("SELECT day FROM days ORDER BY day").fetchall():
        path = scratch / f"{text}.json"
        path.write_bytes(manifest.encode(manifest.build(db, date.fromisoformat(text))))
        path.chmod(in_force().file)
        out.append(Wanted(f"{ARCHIVE}/{text}/manifest.json", path, growing=True))
    return out


def log_files(home: Path) -> list[Wanted]:
    """The file log as far as it is there now; only its last segment still grows."""
    folder = home / LOG
    if not folder.is_dir():
        return []
    segments = [path for _, path in list_segments(folder)]
    wanted = [Wanted(f"{LOG}/{p.name}", p, growing=p == segments[-1]) for p in segments]
    others = [p for p in _walk(folder) if p not in segments and p.name != "lock"]
    return wanted + [Wanted(p.relative_to(home).as_posix(), p, growing=True) for p in others]


def dagster_files(home: Path) -> list[Wanted]:
    """What Dagster's pages show of past runs. A database with a log beside it is in use."""
    return [
        Wanted(
            path.relative_to(home).as_posix(),
            path,
            growing=path.with_name(path.name + "-wal").exists(),
        )
        for path in _walk(home / DAGSTER)
        if not path.name.endswith(".lock")
    ]
