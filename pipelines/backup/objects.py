"""The bytes of a backup: each content once, under its SHA-256, never written over.

A name that is there has all its bytes: they are written and synced under another name first. So a
backup that is killed leaves objects that the next one finds done, and nothing half-written.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from events.runtime.durable import sync_folder, write_all
from events.runtime.modes import make_folder, open_file, seal
from pipelines.backup.errors import BackupError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class BackupObjects:
    """The folder of contents."""

    root: Path

    def path(self, sha256: str) -> Path:
        return self.root / sha256[:2] / sha256[2:]

    def has(self, sha256: str, size: int) -> bool:
        """Whether the content is there in its whole length."""
        try:
            return self.path(sha256).stat().st_size == size
        except FileNotFoundError:
            return False

    def put(self, source: Path, length: int | None = None) -> tuple[str, int]:
        """Take in a file, or its first `length` bytes; the hash and how many bytes it has."""
        make_folder(self.root)
        draft = self.root / f".draft-{os.getpid()}"
        draft.unlink(missing_ok=True)
        fd = open_file(draft, os.O_WRONLY | os.O_CREAT)
        digest, size = hashlib.sha256(), 0
        try:
            with source.open("rb") as file:
                while chunk := file.read(_CHUNK if length is None else min(_CHUNK, length - size)):
                    write_all(fd, chunk)
                    digest.update(chunk)
                    size += len(chunk)
            os.fsync(fd)
        finally:
            os.close(fd)
        self._keep(draft, digest.hexdigest(), size)
        return digest.hexdigest(), size

    def _keep(self, draft: Path, sha256: str, size: int) -> None:
        if self.has(sha256, size):
            draft.unlink()
            return
        place = self.path(sha256)
        make_folder(place.parent)
        seal(draft)
        draft.replace(place)
        sync_folder(place.parent)

    def fetch(self, sha256: str, target: Path, mode: int) -> None:
        """Write a content out again; one that is not what its name says is a BackupError."""
        place, digest = self.path(sha256), hashlib.sha256()
        try:
            with place.open("rb") as source, target.open("xb") as out:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    out.write(chunk)
                out.flush()
                os.fsync(out.fileno())
        except FileNotFoundError:
            raise BackupError(
                f"{place}: this content is missing from the backup, and {target.name} needs it; "
                "restore an older backup with --at, or take the file from another copy"
            ) from None
        if digest.hexdigest() != sha256:
            raise BackupError(
                f"{place}: expected the content that its name says, found SHA-256 "
                f"{digest.hexdigest()[:16]}...; {target.name} can't be restored from this copy"
            )
        target.chmod(mode)

    def check(self, sha256: str) -> bool:
        """Whether the content is what its name says."""
        digest = hashlib.sha256()
        try:
            with self.path(sha256).open("rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
        except FileNotFoundError:
            return False
        return digest.hexdigest() == sha256
