"""A day's files against the journal: is each there, as long as it was, and the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from events.archive import manifest
from events.archive.findings import ArchiveProblem, DayReport, Trouble
from events.archive.journal import segments_of, snapshot
from events.archive.reader import Archive
from events.archive.segment import SegmentRow, digest_of


def check_files(archive: Archive, report: DayReport) -> set[str]:
    """Compare every file of the day; the names of those that are not as the journal says."""
    bad = set()
    for row in segments_of(archive.db, "day = ?", report.day.isoformat()):
        if not _check_evidence(archive.layout.file(row.day, row.name), row, report):
            bad.add(row.name)
    for table in ("columns", "indexes"):
        sql = f"SELECT name, size, sha256 FROM {table} WHERE day = ? ORDER BY name"
        for name, size, sha256 in archive.db.execute(sql, (report.day.isoformat(),)).fetchall():
            if not _check_file(archive.layout.file(report.day, name), size, sha256, report):
                bad.add(name)
    _check_manifest(archive, report)
    return bad


def _check_evidence(path: Path, row: SegmentRow, report: DayReport) -> bool:
    if not _check_file(path, row.length, row.sha256, report, at_least=True):
        return False
    more = path.stat().st_size - row.length
    if more and row.closed:
        text = f"{path}: {more} bytes follow the {row.length} that the journal knows"
        report.problems.append(ArchiveProblem(Trouble.CHANGED_FILE, text))
    elif more:
        report.notes.append(
            f"{path}: {more} bytes are not committed: an ingest is at work, or died and the next "
            f"one cuts them off"
        )
    return True


def _check_file(
    path: Path, size: int, sha256: bytes, report: DayReport, *, at_least: bool = False
) -> bool:
    """Whether a file is there with the bytes it had; what is wrong goes into the report."""
    report.files += 1
    try:
        found = path.stat().st_size
        digest = digest_of(path, size)
    except FileNotFoundError:
        report.problems.append(ArchiveProblem(Trouble.MISSING_FILE, f"{path}: the file is missing"))
        return False
    except OSError as error:
        text = f"{path}: can't be read: {error.strerror}"
        report.problems.append(ArchiveProblem(Trouble.UNREADABLE_FILE, text))
        return False
    if digest is None or (found != size and not at_least):
        text = f"{path}: expected {size} bytes, found {found}"
    elif digest.digest() != sha256:
        text = f"{path}: expected sha256 {sha256.hex()[:16]}, found {digest.hexdigest()[:16]}"
    else:
        return True
    report.problems.append(ArchiveProblem(Trouble.CHANGED_FILE, text))
    return False


def _check_manifest(archive: Archive, report: DayReport) -> None:
    """The manifest may lag behind the journal after a crash; it may not say something else."""
    path = archive.layout.manifest(report.day)
    # the journal as it is now, because an ingest may have written the manifest a moment ago
    with Archive(archive.layout.root) as now, snapshot(now.db):
        sql = "SELECT changed, published FROM days WHERE day = ?"
        changed, published = now.db.execute(sql, (report.day.isoformat(),)).fetchone()
        expected = manifest.build(now.db, report.day)
        found = _read_manifest(path)
    if changed > published:
        report.notes.append(f"{path}: older than the journal; the next ingest writes it again")
    elif isinstance(found, ArchiveProblem):
        report.problems.append(found)
    elif found != expected:
        text = f"{path}: the manifest says something else than the journal"
        report.problems.append(ArchiveProblem(Trouble.MANIFEST_DIFFERS, text))


def _read_manifest(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return ArchiveProblem(Trouble.MISSING_FILE, f"{path}: the manifest is missing")
    except (OSError, ValueError):
        text = f"{path}: the manifest is no JSON that can be read"
        return ArchiveProblem(Trouble.UNREADABLE_FILE, text)
