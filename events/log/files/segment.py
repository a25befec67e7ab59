"""One segment file of the log: its name, and how to walk its blocks, whole and damaged ones.

Reading is by pread on an open file and never by mapping it: a writer may cut a torn tail at any
time, and touching a mapped page that is gone would kill the reader.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from events.log.base import LogError
from events.log.container import (
    MAX_BLOCK_MESSAGES,
    SYNC_SIZE,
    BadBlockError,
    Form,
    decode_header,
    read_varint,
)

SUFFIX = ".avro"
_HEADER_ROOM = 4096
_FRAME_ROOM = 20
_SCAN_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LogBlock:
    """A whole block: where it lies, how many messages it names, and its packed data."""

    position: int
    end: int
    count: int
    data: bytes


@dataclass(frozen=True, slots=True)
class LostBytes:
    """Bytes between two markers that are no block."""

    position: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Bytes after the last marker: a block that is being written, or one whose writer died."""

    position: int
    end: int
    reason: str


Piece = LogBlock | LostBytes | Unfinished


def segment_path(folder: Path, first: int) -> Path:
    """A segment is named by the offset of its first message."""
    return folder / f"{first:020d}{SUFFIX}"


def list_segments(folder: Path) -> list[tuple[int, Path]]:
    """First offset and path of every segment, in order."""
    found = []
    for entry in os.scandir(folder):
        stem, suffix = os.path.splitext(entry.name)  # noqa: PTH122 - polled, Path is slow
        if suffix == SUFFIX and len(stem) == 20 and stem.isdigit():
            found.append((int(stem), Path(entry.path)))
    return sorted(found)


class Segment:
    """An open segment. `sync` is the log's marker, which a segment's own header must repeat."""

    def __init__(self, path: Path, first: int, sync: bytes) -> None:
        self.path, self.first, self.sync = path, first, sync
        try:
            self.fd = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise LogError(f"{path}: can't be opened: {error.strerror}") from None
        self.form: Form | None = None
        self.header_problem: str | None = None
        self.start = self._read_header()

    def _read_header(self) -> int:
        try:
            form, sync, end = decode_header(os.pread(self.fd, _HEADER_ROOM, 0))
        except BadBlockError as error:
            self.header_problem = f"{self.where(0)}: expected the header of a segment, {error}"
            return 0
        if sync != self.sync:
            self.header_problem = f"{self.where(0)}: the segment belongs to another log"
            return 0
        self.form = form
        return end

    def where(self, position: int) -> str:
        """A place in the segment as messages name it."""
        return f"{self.path}, byte {position}"

    def size(self) -> int:
        return os.fstat(self.fd).st_size

    def read(self, position: int, end: int) -> bytes:
        """The bytes of a range; shorter only where the file has become shorter."""
        parts = []
        while position < end and (part := os.pread(self.fd, end - position, position)):
            parts.append(part)
            position += len(part)
        return b"".join(parts)

    def pieces(self, position: int, end: int) -> Iterator[Piece]:
        """What lies from `position` to `end`, one piece after the other."""
        if self.header_problem and position == end == 0:
            yield LostBytes(0, 0, self.header_problem)
        while position < end:
            piece = self._piece(position, end)
            yield piece
            position = piece.end

    def _piece(self, position: int, end: int) -> Piece:
        found = self._block(position, end)
        if isinstance(found, LogBlock):
            return found
        marker = self._find_sync(position, end)
        if position == 0 and self.header_problem:
            # a header is on the disk before the file has its name: it is never half-written
            return LostBytes(0, end if marker < 0 else marker + SYNC_SIZE, self.header_problem)
        if marker < 0:
            return Unfinished(position, end, found)
        return LostBytes(position, marker + SYNC_SIZE, found)

    def _block(self, position: int, end: int) -> LogBlock | str:
        """The block at a position, or what is wrong there."""
        frame = self.read(position, min(position + _FRAME_ROOM, end))
        bad = f"{self.where(position)}: expected a block of messages, found "
        try:
            count, at = read_varint(frame, 0)
            size, at = read_varint(frame, at)
        except (IndexError, BadBlockError):
            return bad + "bytes that do not begin like one"
        if not 0 < count <= MAX_BLOCK_MESSAGES or size < 0:
            return bad + f"one that names {count} messages in {size} bytes"
        stop = position + at + size + SYNC_SIZE
        if stop > end:
            return bad + f"one that names {size} bytes where {end - position - at} are left"
        whole = self.read(position + at, stop)
        if whole[size:] != self.sync:
            return bad + f"no marker where its {size} bytes end"
        return LogBlock(position, stop, count, whole[:size])

    def _find_sync(self, position: int, end: int) -> int:
        while position < end:
            stop = min(position + _SCAN_BYTES, end)
            found = self.read(position, stop).find(self.sync)
            if found >= 0:
                return position + found
            if stop == end:
                return -1
            position = stop - SYNC_SIZE + 1
        return -1

    def close(self) -> None:
        os.close(self.fd)
