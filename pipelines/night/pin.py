"""The day as it was when the run began: the archive's files, copied into the run.

Late events may come while the run works, and the archive then writes other files. The run reads
what it pinned, and the next run, which the late events call for, reads the rest.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from events.archive.columns import ARROW_SCHEMA, in_order
from events.archive.errors import DamagedError, UnknownDayError
from events.archive.journal import snapshot
from events.archive.parquet import write_columns
from events.archive.reader import Archive
from events.runtime.copies import copy_file
from events.runtime.digest import file_sha256
from events.runtime.modes import make_folder, seal
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import RunFolder


@dataclass(frozen=True, slots=True)
class Pinned:
    """What the archive had of a day at one moment."""

    day: date
    known: bool
    revision: int
    complete: bool
    events: int
    rounds_opened: int
    tables: dict[str, int]
    inputs: dict[str, str]
    quarantined: dict[str, int]
    reopened: list[dict[str, Any]]
    notes: list[str]
    columns: list[str]
    """The archive's files of that moment, as they are called in an object store."""
    files: dict[str, str]
    """The copies in the run's folder, with their SHA-256."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"day": self.day.isoformat()}


def pin(archive: Archive, folder: RunFolder) -> Pinned:
    """Copy the day's column files into the run's folder. Nothing that is published shares an
    inode with the archive: what happens to the one must not happen to the other."""
    make_folder(folder.path)
    day = folder.day
    with snapshot(archive.db):
        notes = _notes(archive, day)
        held = Counter(q.table or "no table" for q in archive.quarantine(day))
        try:
            manifest = archive.manifest(day)
        except UnknownDayError:
            write_columns(folder.part("events", 0), [ARROW_SCHEMA.empty_table()])
            return Pinned(day, False, 0, False, 0, 0, {}, {}, dict(held), [], notes, [], {})
        files, keys = archive.column_files(day), archive.column_keys(day)
        written = {f["name"]: f["sha256"] for f in manifest["files"]}
        copies = {}
        for number, path in enumerate(files):
            copy = folder.part("events", number)
            copies[copy.name] = _copy(path, copy, written[path.name])
        tail = archive.read_tail(day)
    if tail is not None or not files:
        rest = ARROW_SCHEMA.empty_table() if tail is None else in_order(tail)
        write_columns(folder.part("events", len(files)), [rest])
    return _pinned(manifest, day, dict(held), notes, keys, copies)


def _copy(path: Path, copy: Path, written: str) -> str:
    """The copy's SHA-256, which is the one of the file that the archive wrote."""
    try:
        copy_file(path, copy)
        seal(copy)
        found = file_sha256(copy).hex()
    except OSError as error:
        raise WarehouseError(
            f"{copy}: can't be written: {error.strerror}; what is published stays as it was, make "
            f"room and run the day again"
        ) from None
    if found != written:
        raise DamagedError(
            f"{path}: expected the columns that the archive wrote (SHA-256 {written[:16]}...), "
            f"found others; evenhand repair {path.parent.name} makes them again from the evidence"
        )
    return found


def _notes(archive: Archive, day: date) -> list[str]:
    """What was strange about the log that day: offsets gone, damage."""
    sql = "SELECT message FROM source_events WHERE day = ? ORDER BY id"
    return [str(r[0]) for r in archive.db.execute(sql, (day.isoformat(),))]


def _pinned(
    manifest: dict[str, Any],
    day: date,
    held: dict[str, int],
    notes: list[str],
    keys: list[str],
    files: dict[str, str],
) -> Pinned:
    return Pinned(
        day=day,
        known=True,
        revision=manifest["revision"],
        complete=manifest["complete"],
        events=manifest["events"],
        rounds_opened=manifest["rounds_opened"],
        tables={name: t["events"] for name, t in manifest["tables"].items()},
        inputs={f["name"]: f["sha256"] for f in manifest["files"]},
        quarantined=held,
        reopened=manifest["reopened"],
        notes=notes,
        columns=keys,
        files=files,
    )
