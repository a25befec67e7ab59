"""Backups that are older than they have to be go, and with them what no other one holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pipelines.backup.record import BackupFolder
from pipelines.backup.take import only_one

_NAME = "%Y%m%dT%H%M%SZ"


def beyond_age(kept: BackupFolder, before: datetime) -> list[str]:
    """The backups taken before that moment; the newest one stays whatever its age."""
    return [name for name in kept.names()[:-1] if _taken_at(name) < before]


def prune(kept: BackupFolder, names: Sequence[str]) -> int:
    """Take these away: the records first, so that one that is there is always whole. How many
    contents went with them."""
    gone = 0
    with only_one(kept):
        for name in names:
            (kept.taken / f"{name}.json").unlink(missing_ok=True)
        held = {one.sha256 for name in kept.names() for one in kept.read(name)[0].files}
        for path in kept.objects.glob("??/*"):
            if f"{path.parent.name}{path.name}" not in held:
                path.unlink(missing_ok=True)
                gone += 1
    return gone


def _taken_at(name: str) -> datetime:
    return datetime.strptime(name[:15] + "Z", _NAME).replace(tzinfo=UTC)
