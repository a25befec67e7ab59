"""Reading the file log from an offset on: whole blocks as messages, damage by its name and place.

A reader takes no lock. It sees whole blocks only, and before it hands on what a writer has just
written it has the disk confirm it, so that nothing it reported can vanish with the power.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from events.log.base import LogError, Message
from events.log.container import BadBlockError, decode_block, first_offset, guess_form
from events.log.files.segment import LogBlock, LostBytes, Segment, Unfinished, list_segments

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that should hold messages; how many is known only from the next whole block."""

    reason: str
    raw: bytes
    count: int = 1


class FileReader:
    """A place in the log. `messages` gives what is there now, and can be asked again later."""

    def __init__(self, folder: Path, sync: bytes, start: int, warn: Warn) -> None:
        self.folder, self.sync, self.start, self.warn = folder, sync, start, warn
        self.unfinished: Unfinished | None = None
        segments = list_segments(folder)
        if not segments:
            raise LogError(
                f"{folder}: the log has lost its segments: expected at least the first, found "
                f"none; put them back from a copy, or remove the folder to begin a new log"
            )
        first, path = max((s for s in segments if s[0] <= start), default=segments[0])
        self.segment = Segment(path, first, sync)
        self.position = self.segment.start
        # where reading begins within the log, everything before counts as read
        self.expected = first if first <= start else 0
        self.passed: LogBlock | None = None
        self.pending: list[Damage] = []
        self.checked_size = -1

    def messages(self) -> Iterator[Message]:
        """What is there now and was not given yet."""
        while True:
            following = self._following()
            yield from self._rest(closed=following is not None)
            if following is None:
                yield from self._settle(None, "")
                return
            first, path = following
            if first != self.expected:
                self._look_back()
            self.segment.close()
            self.segment, self.passed = Segment(path, first, self.sync), None
            self.position, self.checked_size = self.segment.start, -1
            yield from self._settle(first, f"{path}: messages before it are missing")

    def _following(self) -> tuple[int, Path] | None:
        later = (s for s in list_segments(self.folder) if s[0] > self.segment.first)
        return next(later, None)

    def _rest(self, *, closed: bool) -> Iterator[Message]:
        """The rest of the segment. One that is closed gets no more, so its tail must be whole."""
        size = self.segment.size()
        if size == self.checked_size:
            return
        if not closed:
            _confirm(self.segment.fd)
        self.checked_size, self.unfinished = size, None
        for piece in self.segment.pieces(self.position, size):
            if isinstance(piece, Unfinished) and not closed:
                self.unfinished = piece
                return
            if isinstance(piece, LogBlock):
                yield from self._block(piece)
            else:
                self._lost(piece)
            self.position = piece.end

    def _lost(self, piece: LostBytes | Unfinished) -> None:
        raw = self.segment.read(piece.position, piece.end)
        self.pending.append(Damage(piece.reason, raw))

    def _block(self, block: LogBlock) -> Iterator[Message]:
        form = self.segment.form or guess_form(block.data, block.count)
        where = self.segment.where(block.position)
        try:
            first = first_offset(block.data, form)
            if self.expected == first and first + block.count <= self.start:
                self.expected, self.passed = first + block.count, block
                return
            records = decode_block(block.data, block.count, form)
        except BadBlockError as error:
            self.pending.append(self._damage(block, error))
            return
        if first != self.expected:
            self._look_back()
        if first < self.expected:
            self.warn(
                f"{where}: a block repeats messages from {first} on where {self.expected} was "
                f"expected; it is passed over"
            )
            return
        yield from self._settle(first, f"{where}: messages before it are missing")
        yield from _messages(records[max(0, self.start - first) :])
        self.expected, self.passed = first + block.count, None

    def _look_back(self) -> None:
        """What comes is not what the last block said, which was passed over unread: is it whole?

        One that is damaged counts from its first message on as lost, as it did for whoever took
        that in, and its count proves nothing about where the next one begins.
        """
        passed, self.passed = self.passed, None
        if passed is None:
            return
        form = self.segment.form or guess_form(passed.data, passed.count)
        try:
            decode_block(passed.data, passed.count, form)
        except BadBlockError as error:
            self.expected -= passed.count
            self.pending.insert(0, self._damage(passed, error))

    def _damage(self, block: LogBlock, error: BadBlockError) -> Damage:
        where = self.segment.where(block.position)
        reason = f"{where}: a block of {block.count} messages is damaged: {error}"
        return Damage(reason, self.segment.read(block.position, block.end), block.count)

    def _settle(self, first: int | None, missing: str) -> Iterator[Message]:
        """Name what was lost before offset `first`, or before the log's end where it is None."""
        pending, self.pending = self.pending, []
        if first is None:
            first = self.expected + sum(d.count for d in pending)
        if first > self.expected:
            lost = f"messages {self.expected} to {first - 1}"
            reason = "; ".join(d.reason for d in pending) or missing
            if self.expected >= self.start:
                raw = b"".join(d.raw for d in pending)
                yield Message(0, self.expected, None, raw, f"{reason} ({lost})")
            self.expected = first
        else:
            for damage in pending:
                self.warn(f"{damage.reason}; no message is lost there")

    def close(self) -> None:
        """Let go of the segment."""
        self.segment.close()


def segment_messages(path: Path, first: int, sync: bytes) -> Iterator[Message]:
    """The messages of one segment that can be read; damage is for read() to report."""
    segment = Segment(path, first, sync)
    try:
        for piece in segment.pieces(segment.start, segment.size()):
            if not isinstance(piece, LogBlock):
                continue
            form = segment.form or guess_form(piece.data, piece.count)
            with contextlib.suppress(BadBlockError):
                yield from _messages(decode_block(piece.data, piece.count, form))
    finally:
        segment.close()


def _messages(records: list[dict[str, Any]]) -> Iterator[Message]:
    """The messages of a block. Made by tuple's own hand: a call for each costs three times that."""
    says = bool(records) and "arrived" in records[0]
    arrived = [r["arrived"] for r in records] if says else repeat(None)
    named: Any = zip(
        repeat(0),
        [r["offset"] for r in records],
        [r["key"] for r in records],
        [r["value"] for r in records],
        repeat(None),
        arrived,
        strict=False,
    )
    made: Any = map(tuple.__new__, repeat(Message), named)
    return iter(made)


def _confirm(fd: int) -> None:
    """Have the disk confirm a file's bytes; a file system that can't be written needs none."""
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EINVAL):
            raise
