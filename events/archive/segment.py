"""Writing evidence: one growing file per day, with a running checksum of what is in it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from events.archive.errors import ArchiveError
from events.archive.evidence import (
    EvidenceFile,
    StoredMessage,
    encode_block,
    encode_header,
)
from events.log.container import CODECS, SYNC_SIZE
from events.runtime.durable import sync_folder
from events.runtime.modes import open_file, seal, unseal

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """What the journal says about an evidence file. `columned`: bytes whose columns are written."""

    id: int
    day: date
    name: str
    length: int
    sha256: bytes
    messages: int
    columned: int
    closed: bool


class SegmentWriter:
    """An evidence file open for appending. Nothing counts before sync() and the journal."""

    def __init__(self, path: Path, id_: int, day: date, codec: str) -> None:
        self.path, self.id, self.day = path, id_, day
        self.takes_more = True
        self._codec, self._sync = CODECS[codec], os.urandom(SYNC_SIZE)
        self.length = self.messages = 0
        self._digest = hashlib.sha256()
        self._fd: int | None = _open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._write(encode_header(codec, self._sync))
        sync_folder(path.parent)

    @classmethod
    def resume(cls, path: Path, row: SegmentRow) -> SegmentWriter | None:
        """Go on where the journal stopped, or None where the file is not what the journal says.

        What a crash left beyond that is cut off. One of an earlier format takes no more.
        """
        digest = digest_of(path, row.length)
        if digest is None or digest.digest() != row.sha256:
            return None
        with EvidenceFile(path) as file:
            codec, sync, takes_more = file.codec, file.sync, file.arrives
        self = cls.__new__(cls)
        self.path, self.id, self.day = path, row.id, row.day
        self._codec, self._sync, self.takes_more = codec, sync, takes_more
        self.length, self.messages, self._digest = row.length, row.messages, digest
        _unseal(path)
        self._fd = _open(path, os.O_WRONLY)
        os.ftruncate(self._fd, row.length)
        return self

    @property
    def _file(self) -> int:
        if self._fd is None:
            self._fd = _open(self.path, os.O_WRONLY)
        return self._fd

    def append(self, messages: Sequence[StoredMessage]) -> tuple[int, int]:
        """Write messages as one block; first byte of it, and the byte after it."""
        start = self.length
        self._write(encode_block(messages, self._codec, self._sync))
        self.messages += len(messages)
        return start, self.length

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                written = os.pwrite(self._file, view, self.length + len(data) - len(view))
                view = view[written:]
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        self.length += len(data)
        self._digest.update(data)

    def sync(self) -> None:
        """Wait until the disk has it."""
        try:
            os.fdatasync(self._file)
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    @property
    def sha256(self) -> bytes:
        return self._digest.digest()

    def park(self) -> None:
        """Let go of the descriptor; the next write takes one again."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def seal(self) -> None:
        """Close it for good; resume() takes that back where the journal did not hear of it."""
        self.park()
        seal(self.path)


def digest_of(path: Path, length: int) -> hashlib._Hash | None:
    """The checksum of a file's first bytes, ready to go on; None where it has fewer."""
    digest = hashlib.sha256()
    try:
        with path.open("rb", buffering=0) as file:
            while length > 0:
                chunk = file.read(min(_CHUNK, length))
                if not chunk:
                    return None
                digest.update(chunk)
                length -= len(chunk)
    except FileNotFoundError:
        return None
    return digest


def _unseal(path: Path) -> None:
    with contextlib.suppress(PermissionError):  # another user's file: opening it tells
        unseal(path)


def _open(path: Path, flags: int) -> int:
    try:
        return open_file(path, flags)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> ArchiveError:
    return ArchiveError(
        f"{path}: can't be written: {error.strerror}; what was committed before is safe, "
        f"make room and run ingest again"
    )
