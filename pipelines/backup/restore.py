"""A home made from a backup again: all of it, each content checked, or nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from events.runtime.durable import sync_folder
from events.runtime.modes import make_folder
from pipelines.backup.errors import BackupError
from pipelines.backup.objects import BackupObjects
from pipelines.backup.record import BackupFolder, BackupRecord
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.upgrade import upgrade_warehouse

Told = Callable[[str, int], None]


def choose(folder: BackupFolder, name: str | None) -> BackupRecord:
    """The backup of that name, or the last one."""
    names = folder.names()
    if not names:
        raise BackupError(
            f"{folder.root}: there is no backup here; evenhand backup {folder.root} takes one"
        )
    return folder.read(name or names[-1])[0]


def restore_home(
    home: Path,
    folder: BackupFolder,
    record: BackupRecord,
    told: Told = lambda path, size: None,
) -> list[str]:
    """Make the home; what else was done, a sentence each. A home that is there is never touched."""
    if home.exists() and any(home.iterdir()):
        raise BackupError(
            f"{home}: something is here already, and a restore writes over nothing; move it away "
            "or set EVENHAND_HOME to another folder"
        )
    draft = home.absolute().with_name(f".{home.absolute().name}.restoring")
    shutil.rmtree(draft, ignore_errors=True)
    make_folder(draft)
    objects = BackupObjects(folder.objects)
    try:
        for one in record.files:
            place = draft / _inside(one.path)
            make_folder(place.parent)
            objects.fetch(one.sha256, place, one.mode)
            told(one.path, one.size)
        for root, _, _ in os.walk(draft):
            sync_folder(Path(root))
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    if home.exists():
        home.rmdir()
    draft.replace(home)
    sync_folder(home.absolute().parent)
    return upgrade_warehouse(warehouse_of(home))


def _inside(path: str) -> Path:
    """A path of the record, which must stay within the home."""
    parts = Path(path).parts
    if not parts or Path(path).is_absolute() or ".." in parts:
        raise BackupError(f"{path!r}: a backup's record names a file outside of the home")
    return Path(path)
