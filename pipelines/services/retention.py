"""What has been kept for longer than its kind has to be, and taking that away.

Evidence, journal, quarantine, checkpoints, what people decided and the run that counts for a day
are no kind of this: nothing of ours ever deletes them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from events.settings import Settings
from pipelines.backup.prune import beyond_age, prune
from pipelines.backup.record import BackupFolder
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.sweep import sweep

_OLD_WORDS = (
    "FROM told WHERE told_at < ? AND id NOT IN (SELECT id FROM standing) "
    "AND n <= (SELECT CAST(value AS INTEGER) FROM about WHERE name = 'printed')"
)


@dataclass(frozen=True, slots=True)
class Beyond:
    """Things of one kind that are older than `days`: what they are, and how they go."""

    kind: str
    days: int
    what: tuple[str, ...]
    remove: Callable[[], object]


def beyond_retention(
    settings: Settings, now: datetime | None = None, backups: Path | None = None
) -> list[Beyond]:
    """Each kind of data, with what of it is beyond its time."""
    at = now or datetime.now(UTC)
    out = [_runs(settings, at), _told(settings, at), _logs(settings, at)]
    if backups is not None:
        out.append(_backups(settings, BackupFolder(backups), at))
    return out


def _runs(settings: Settings, now: datetime) -> Beyond:
    days = settings.warehouse_retention_days
    warehouse = warehouse_of(settings.home)
    old = [
        f"{p.day} run {p.run}"
        for p in (published(warehouse) if warehouse.catalogue.exists() else [])
        if p.superseded_at is not None
        and now - p.superseded_at > timedelta(days=days)
        and warehouse.run_folder(p.day, p.run).path.exists()
    ]
    retention = timedelta(days=days)
    return Beyond("runs", days, tuple(old), lambda: sweep(warehouse, retention, now))


def _told(settings: Settings, now: datetime) -> Beyond:
    days = settings.told_retention_days
    before = (now - timedelta(days=days)).isoformat(timespec="milliseconds")
    found = {
        path: _words(path, before) for path in sorted((settings.home / "watch").glob("*.sqlite"))
    }
    what = tuple(f"{path.stem}: {n:,} words" for path, n in found.items() if n)

    def remove() -> None:
        for path in found:
            with closing(sqlite3.connect(path, timeout=30)) as db, db:
                db.execute(f"DELETE {_OLD_WORDS}", (before,))

    return Beyond("told", days, what, remove)


def _words(path: Path, before: str) -> int:
    with closing(sqlite3.connect(path, timeout=30)) as db:
        return int(db.execute(f"SELECT count(*) {_OLD_WORDS}", (before,)).fetchone()[0])


def _logs(settings: Settings, now: datetime) -> Beyond:
    days = settings.log_retention_days
    root = settings.home / "logs"
    old = [path for path in _files(root) if _age(path, now) > timedelta(days=days)]

    def remove() -> None:
        for path in old:
            path.unlink(missing_ok=True)

    return Beyond("logs", days, tuple(str(p.relative_to(root)) for p in old), remove)


def _files(root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.rglob("*")) if path.is_file())


def _age(path: Path, now: datetime) -> timedelta:
    return now - datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _backups(settings: Settings, kept: BackupFolder, now: datetime) -> Beyond:
    days = settings.backup_retention_days
    old = beyond_age(kept, now - timedelta(days=days))
    return Beyond("backups", days, tuple(old), lambda: prune(kept, old))
