"""Writing the file log: one writer, whole blocks, and nothing counts before the disk has it.

Opening finds what a dead writer left unfinished and cuts it back to the last whole block. What is
cut was never acknowledged; it is kept beside the log all the same, because evidence is not thrown
away on a guess.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from events.log.base import LogError, Outgoing
from events.log.container import CODECS, MAX_BLOCK_MESSAGES, Form, encode_block, encode_header
from events.log.files.lock import WriterLock
from events.log.files.reader import FileReader, Warn
from events.log.files.segment import segment_path
from events.runtime.durable import write_all, write_whole

_BLOCK_BYTES = 1 << 20
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_PAST_EVERY_OFFSET = 2**62

SegmentClosed = Callable[[Path], None]


class Writer:
    """The only writer of a log, from creation to close()."""

    def __init__(
        self,
        folder: Path,
        sync: bytes,
        *,
        codec: str,
        segment_bytes: int,
        segment_messages: int,
        warn: Warn,
        closed: SegmentClosed,
    ) -> None:
        self.folder, self.sync, self.codec = folder, sync, CODECS[codec]
        self.segment_bytes, self.segment_messages = segment_bytes, segment_messages
        self.closed = closed
        self.lock = WriterLock(folder)
        self.broken: str | None = None
        self.fd = -1
        try:
            self._recover(warn)
        except BaseException:
            self.close()
            raise

    def _recover(self, warn: Warn) -> None:
        """Find the end of the last whole block, and cut what an earlier writer left after it."""
        reader = FileReader(self.folder, self.sync, _PAST_EVERY_OFFSET, lambda _: None)
        try:
            for _ in reader.messages():
                pass
            segment, torn = reader.segment, reader.unfinished
            if segment.form is None:
                raise LogError(
                    f"{segment.header_problem}; nothing can be written after it: put the file "
                    f"back from a copy, or move it away so that what it held is reported missing"
                )
            self.next, self.first = reader.expected, segment.first
            self.size = reader.position
            self.current: Form = segment.form
            cut = segment.read(torn.position, torn.end) if torn else b""
            self.path = segment.path
        finally:
            reader.close()
        self.fd = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        if torn:
            kept = self.path.with_name(f"{self.path.stem}.{torn.position}.torn")
            write_whole(kept, cut)
            os.ftruncate(self.fd, self.size)
            warn(
                f"{self.path}, byte {torn.position}: the last {len(cut)} bytes are no whole "
                f"block: a writer died before they were acknowledged; they are cut off and kept "
                f"in {kept.name}"
            )
        os.lseek(self.fd, self.size, os.SEEK_SET)
        os.fsync(self.fd)

    def append(self, messages: Sequence[Outgoing]) -> None:
        """Write messages in whole blocks; on return the disk has them all."""
        if self.broken:
            raise LogError(self.broken)
        done = 0
        try:
            while done < len(messages):
                if self._full():
                    self._roll()
                block = messages[done : done + self._block_length(messages, done)]
                self._write_block(encode_block(self.next, block, self.current.codec, self.sync))
                self.next += len(block)
                done += len(block)
        except OSError as error:
            self._sync()
            room = "; make room" if error.errno in _NO_ROOM else ""
            raise LogError(
                f"{self.path}: writing failed: {error.strerror}; the log has the first {done} of "
                f"the {len(messages)} messages{room}"
            ) from None
        self._sync()

    def _sync(self) -> None:
        try:
            os.fsync(self.fd)
        except OSError as error:
            # after a failed sync nobody knows what the disk has; only a new start may find out
            self.broken = (
                f"{self.path}: the disk refused what was written: {error.strerror}; nothing since "
                f"the last answer counts as written; look at the disk and open the log again"
            )
            raise LogError(self.broken) from None

    def _full(self) -> bool:
        if not self.current.arrives:  # of an earlier version: what comes now has its arrival
            return True
        held = self.next - self.first
        return held > 0 and (self.size >= self.segment_bytes or held >= self.segment_messages)

    def _block_length(self, messages: Sequence[Outgoing], start: int) -> int:
        """How many messages the next block takes: bounded in number, bytes and by the segment."""
        room = self.segment_messages - (self.next - self.first)
        stop = min(len(messages), start + MAX_BLOCK_MESSAGES, start + room)
        size = 0
        for n in range(start, stop):
            size += len(messages[n].value)
            if size >= _BLOCK_BYTES:
                return n + 1 - start
        return stop - start

    def _write_block(self, block: bytes) -> None:
        try:
            write_all(self.fd, block)
        except OSError:
            # a reader may have seen the whole blocks before this one: they stay
            os.ftruncate(self.fd, self.size)
            os.lseek(self.fd, self.size, os.SEEK_SET)
            raise
        self.size += len(block)

    def _roll(self) -> None:
        self._sync()
        path, old = segment_path(self.folder, self.next), self.path
        write_whole(path, encode_header(self.codec.name, self.sync))
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        os.close(self.fd)
        self.fd, self.path, self.first = fd, path, self.next
        self.current = Form(self.codec)
        self.size = os.lseek(fd, 0, os.SEEK_END)
        if old != path:  # an empty one of an earlier version is made anew
            self.closed(old)

    def close(self) -> None:
        """Let go of the file and let the next writer in."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        self.lock.close()
