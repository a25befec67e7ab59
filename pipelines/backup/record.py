"""What one backup holds: a record per time, chained to the one before it.

backup/objects/ab/cdef...             each content once, under its SHA-256
backup/taken/20261118T040501Z.json    every file of the home at that time, by path and hash
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from events.contract import show
from events.runtime.durable import write_whole
from events.runtime.modes import make_folder
from pipelines.backup.errors import BackupError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of the home. `seen`: what the disk said of it, so that the next backup need not read
    it again where nothing has changed; None where it has to."""

    path: str
    sha256: str
    size: int
    mode: int
    seen: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """One backup: when, of which archive, what is in it, and what was left out."""

    name: str
    made_at: str
    archive: str | None
    software: str
    before: str | None
    files: tuple[KeptFile, ...]
    left_out: tuple[str, ...] = field(default=())

    def encode(self) -> bytes:
        body = asdict(self) | {"format": FORMAT}
        return (json.dumps(body, ensure_ascii=False, sort_keys=True) + "\n").encode()

    @property
    def by_path(self) -> dict[str, KeptFile]:
        return {one.path: one for one in self.files}


@dataclass(frozen=True, slots=True)
class BackupFolder:
    """Where backups lie."""

    root: Path

    @property
    def objects(self) -> Path:
        return self.root / "objects"

    @property
    def taken(self) -> Path:
        return self.root / "taken"

    def names(self) -> list[str]:
        """The backups that are there, oldest first."""
        return sorted(path.stem for path in self.taken.glob("*Z.json"))

    def read(self, name: str) -> tuple[BackupRecord, str]:
        """A backup's record and the hash of its bytes."""
        path = self.taken / f"{name}.json"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            there = ", ".join(self.names()[-3:]) or "none"
            raise BackupError(
                f"{self.root}: there is no backup {name} here; the last ones are {there}"
            ) from None
        return _decode(path, content), hashlib.sha256(content).hexdigest()

    def last(self) -> tuple[BackupRecord | None, str | None]:
        names = self.names()
        return self.read(names[-1]) if names else (None, None)

    def write(self, record: BackupRecord) -> None:
        make_folder(self.taken)
        write_whole(self.taken / f"{record.name}.json", record.encode())


def _decode(path: Path, content: bytes) -> BackupRecord:
    try:
        body: dict[str, Any] = json.loads(content)
        found = body.pop("format")
        if found != FORMAT:
            raise BackupError(
                f"{path}: expected a backup in format {FORMAT}, found {show(found)}; use the "
                "evenhand that made it"
            )
        files = tuple(
            KeptFile(f["path"], f["sha256"], f["size"], f["mode"], _seen(f["seen"]))
            for f in body.pop("files")
        )
        left_out = tuple(body.pop("left_out"))
        return BackupRecord(**body, files=files, left_out=left_out)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupError(
            f"{path}: expected a backup's record, found something else ({error}); use an older one"
        ) from None


def _seen(found: Any) -> tuple[int, int, int] | None:
    return None if found is None else (found[0], found[1], found[2])
