"""A backup held against the checkpoints: the copy's own bytes, not those of the home."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from datetime import date
from pathlib import Path

from events.archive.reader import Archive
from events.archive.verify import verify
from events.chain import ChainVerdict
from events.checkpoints import known_heads, load_checkpoints
from pipelines.backup.gather import ARCHIVE
from pipelines.backup.objects import BackupObjects
from pipelines.backup.record import BackupFolder, BackupRecord

_OF_CHECKPOINTS = {ChainVerdict.SEAL_DIFFERS}
"""A chain that ends early is the night's to tell, and lies so in the home too."""


def damaged_objects(folder: BackupFolder, record: BackupRecord) -> list[str]:
    """Files of a backup whose content is missing or is not what its name says."""
    objects, found = BackupObjects(folder.objects), dict[str, bool]()
    for one in record.files:
        if one.sha256 not in found:
            found[one.sha256] = objects.check(one.sha256)
    return [
        f"{one.path}: its content {one.sha256[:16]}... is missing or damaged in {folder.root}"
        for one in record.files
        if not found[one.sha256]
    ]


def days_of(paths: Collection[str]) -> list[date]:
    """The gaming days of the archive to which these files belong."""
    out = set()
    for path in paths:
        parts = path.split("/")
        if parts[0] == ARCHIVE and len(parts) == 3:
            out.add(date.fromisoformat(parts[1]))
    return sorted(out)


def against_checkpoints(
    folder: BackupFolder, record: BackupRecord, days: Collection[date]
) -> list[str]:
    """What is wrong with these days of the copy, by their own evidence and by the checkpoints."""
    files = record.by_path
    if not days or f"{ARCHIVE}/journal.sqlite" not in files:
        return []
    objects = BackupObjects(folder.objects)
    with tempfile.TemporaryDirectory(prefix="evenhand-backup-") as name:
        root = Path(name)
        _lay_out(objects, record, root, days)
        checkpoints = files.get("checkpoints.jsonl")
        kept = (
            load_checkpoints(objects.path(checkpoints.sha256), quarantine=True)
            if checkpoints is not None
            else []
        )
        known = known_heads(c for c in kept if c.of_table)
        out: list[str] = []
        with Archive(root / ARCHIVE) as archive:
            for day in days:
                report = verify(archive, day, known, kept=kept)
                wrong = [*report.problems, *(p for d in report.days for p in d.problems)]
                out += [f"{day}: {problem.message}" for problem in wrong]
                out += [
                    f"{day}: {broken.message}"
                    for table in report.tables
                    for broken in table.breaks
                    if broken.verdict in _OF_CHECKPOINTS
                ]
    return [text.replace(str(root), str(folder.root)) for text in dict.fromkeys(out)]


def _lay_out(
    objects: BackupObjects, record: BackupRecord, root: Path, days: Collection[date]
) -> None:
    """An archive of links to the copy's contents; the journal as a file, because SQLite wants to
    write beside it."""
    wanted = {day.isoformat() for day in days}
    for one in record.files:
        parts = one.path.split("/")
        if parts[0] != ARCHIVE or (len(parts) == 3 and parts[1] not in wanted):
            continue
        place = root / one.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if len(parts) == 2:
            objects.fetch(one.sha256, place, 0o600)
        else:
            place.symlink_to(objects.path(one.sha256).absolute())
