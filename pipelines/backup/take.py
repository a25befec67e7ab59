"""Taking a backup: consistent while everything runs, and only what is new since the last one."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from stat import S_IMODE

from events.archive.layout import Layout
from events.runtime.modes import make_folder, open_file
from pipelines.backup import gather
from pipelines.backup.errors import BackupError
from pipelines.backup.gather import Wanted
from pipelines.backup.objects import BackupObjects
from pipelines.backup.record import BackupFolder, BackupRecord, KeptFile
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.layout import Warehouse, warehouse_of
from pipelines.warehouse.locks import publish_lock

_TRIES = 50
Told = Callable[[str, int], None]
"""Told of each file that was read: its path and its bytes."""


@dataclass(slots=True)
class TakenBackup:
    """A backup that was taken. `changed`: paths whose content is new since the one before."""

    record: BackupRecord
    changed: list[str]
    bytes_read: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Taking:
    """The backup in the making."""

    home: Path
    objects: BackupObjects
    before: dict[str, KeptFile]
    told: Told
    scratch: Path
    kept: dict[str, KeptFile] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    bytes_read: int = 0

    def take(self, wanted: Iterable[Wanted]) -> None:
        for one in wanted:
            self.take_one(one)

    def take_one(self, one: Wanted) -> None:
        status = one.source.stat()
        mode, seen = S_IMODE(status.st_mode), (status.st_size, status.st_mtime_ns, status.st_ino)
        old = self.before.get(one.path)
        if (
            old is not None
            and not one.growing
            and old.seen == seen
            and self.objects.has(old.sha256, old.size)
        ):
            self._keep(KeptFile(one.path, old.sha256, old.size, mode, seen))
            return
        sha256, size = self.objects.put(self._readable(one), one.length)
        self.bytes_read += size
        self.told(one.path, size)
        if one.sha256 is not None and sha256 != one.sha256:
            self.problems.append(
                f"{one.source}: the archive's journal says SHA-256 {one.sha256[:16]}..., the file "
                f"has {sha256[:16]}...; evenhand verify tells more, and older backups have what it "
                "was"
            )
        self._keep(KeptFile(one.path, sha256, size, mode, None if one.growing else seen))

    def _readable(self, one: Wanted) -> Path:
        """The file itself; of a database that somebody may be writing a copy of one moment."""
        ours = one.source.is_relative_to(self.home)
        if one.sha256 is not None or not ours or not gather.is_database(one.path):
            return one.source
        copy = self.scratch / "database"
        gather.copy_database(one.source, copy)
        return copy

    def _keep(self, file: KeptFile) -> None:
        old = self.before.get(file.path)
        if old is None or old.sha256 != file.sha256:
            self.changed.append(file.path)
        self.kept[file.path] = file


def take_backup(
    home: Path,
    folder: BackupFolder,
    *,
    with_keys: bool = False,
    told: Told = lambda path, size: None,
    now: datetime | None = None,
) -> TakenBackup:
    """Copy what is new, then write down what the home consists of. A killed one leaves the last
    record as it was."""
    if not home.is_dir():
        raise BackupError(f"{home}: there is no home here to take a backup of; set EVENHAND_HOME")
    if folder.root.absolute().is_relative_to(home.absolute()):
        raise BackupError(
            f"{folder.root}: a backup inside the home would be lost with it; choose a folder on "
            "another disk or machine"
        )
    make_folder(folder.root)
    with only_one(folder), tempfile.TemporaryDirectory(dir=folder.root, prefix=".draft-") as name:
        last, before = folder.last()
        objects = BackupObjects(folder.objects)
        old = {} if last is None else last.by_path
        taking = _Taking(home, objects, old, told, Path(name))
        left_out = _take_warehouse_and_small(taking, with_keys=with_keys)
        archive = _take_archive(taking)
        taking.take(gather.log_files(home))
        _take_dagster(taking)
        _must_be_the_same(folder, last, archive)
        at = (now or datetime.now(UTC)).astimezone(UTC)
        record = BackupRecord(
            name=_new_name(folder, at),
            made_at=at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            archive=archive,
            software=f"evenhand {version('evenhand')}",
            before=before,
            files=tuple(taking.kept[path] for path in sorted(taking.kept)),
            left_out=tuple(left_out),
        )
        folder.write(record)
    return TakenBackup(record, taking.changed, taking.bytes_read, taking.problems)


def _take_warehouse_and_small(taking: _Taking, *, with_keys: bool) -> list[str]:
    """The catalogue with the small files of one moment, then the runs that it names."""
    warehouse = warehouse_of(taking.home)
    if not warehouse.catalogue.exists():
        return _take_small(taking, with_keys=with_keys)
    with publish_lock(warehouse):  # a publication takes a moment; nothing else is held up
        runs = published(warehouse)
        path = warehouse.catalogue
        taking.take_one(Wanted(_relative(warehouse, path), path, growing=True))
        left_out = _take_small(taking, with_keys=with_keys)
    for one in runs:
        run = warehouse.run_folder(one.day, one.run)
        files = [p for p in sorted(run.path.glob("*")) if p.is_file()]
        try:
            taking.take(Wanted(_relative(warehouse, p), p) for p in files)
        except FileNotFoundError:
            if one.current:
                raise
            # superseded longer ago than the retention, and swept away while we copied
            gone = _relative(warehouse, run.path) + "/"
            for name in [name for name in taking.kept if name.startswith(gone)]:
                del taking.kept[name]
    return left_out


def _relative(warehouse: Warehouse, path: Path) -> str:
    return f"{gather.WAREHOUSE}/{path.relative_to(warehouse.root).as_posix()}"


def _take_small(taking: _Taking, *, with_keys: bool) -> list[str]:
    """The small files of one moment: copied until none has changed while we did."""
    for _ in range(_TRIES):
        wanted, left_out = gather.small_files(taking.home, with_keys=with_keys)
        before = _state(wanted)
        try:
            taking.take(wanted)
        except FileNotFoundError:
            continue
        again, _ = gather.small_files(taking.home, with_keys=with_keys)
        if _state(again) == before:
            return left_out
    raise BackupError(
        f"{taking.home}: the files beside the archive change faster than they can be copied; try "
        "again when less is going on"
    )


def _state(wanted: list[Wanted]) -> list[tuple[str, int, int]]:
    out = []
    for one in wanted:
        try:
            status = one.source.stat()
        except FileNotFoundError:
            continue
        out.append((one.path, status.st_size, status.st_mtime_ns))
    return out


def _take_archive(taking: _Taking) -> str | None:
    """archive.json, the journal of a moment after it, then the files that this journal names."""
    layout = Layout(taking.home / gather.ARCHIVE)
    if not layout.journal.exists():
        return None
    about = layout.about.exists()
    if about:
        taking.take_one(Wanted("archive/archive.json", layout.about, growing=True))
    for _ in range(_TRIES):
        journal = taking.scratch / "journal.sqlite"
        gather.copy_database(layout.journal, journal)
        journal.chmod(S_IMODE(layout.journal.stat().st_mode))
        archive, wanted = gather.archive_files(taking.home, journal)
        try:
            taking.take(wanted)
        except FileNotFoundError as error:
            missing = error.filename  # retired and removed meanwhile: a newer journal knows
            continue
        taking.take_one(Wanted("archive/journal.sqlite", journal))
        return archive
    raise BackupError(
        f"{missing}: the archive's journal names this file and it is not there; evenhand verify "
        "tells more"
    )


def _take_dagster(taking: _Taking) -> None:
    """Nobody's evidence: a file that goes while we copy is no matter."""
    for one in gather.dagster_files(taking.home):
        try:
            taking.take_one(one)
        except FileNotFoundError:
            continue


def _must_be_the_same(folder: BackupFolder, last: BackupRecord | None, archive: str | None) -> None:
    if last is not None and last.archive is not None and last.archive != archive:
        raise BackupError(
            f"{folder.root}: expected backups of archive {last.archive}, found {archive} in this "
            "home; another house's backup needs another folder"
        )


def _new_name(folder: BackupFolder, at: datetime) -> str:
    name = f"{at:%Y%m%dT%H%M%S}Z"
    names = folder.names()
    if names and name <= names[-1]:  # two in one second, or a clock that was put back
        last = datetime.strptime(names[-1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        name = f"{datetime.fromtimestamp(last.timestamp() + 1, UTC):%Y%m%dT%H%M%S}Z"
    return name


@contextmanager
def only_one(folder: BackupFolder) -> Iterator[None]:
    fd = open_file(folder.root / "backup.lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(
                f"{folder.root}: another backup is being taken into this folder; wait for it"
            ) from None
        yield
    finally:
        os.close(fd)
