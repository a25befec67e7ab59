"""The log in files: the embedded default, without a broker. One partition, offsets from 0.

A folder of Avro segments, each named by its first offset; `identity`, made with the log, which is
also the marker between blocks; and `lock`, held by the one writer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from events.checkpoints import checkpoint_segment, checkpoint_segments
from events.log.base import LogError, Message, Outgoing
from events.log.container import SYNC_SIZE, encode_header
from events.log.files.lock import WriterLock, writer_lives
from events.log.files.reader import FileReader, Warn
from events.log.files.segment import list_segments, segment_path
from events.log.files.writer import SegmentClosed, Writer
from events.runtime.durable import sync_folder, write_whole
from events.runtime.modes import make_folder
from events.settings import Settings

IDENTITY = "identity"
POLL_S = 0.1


class FileLog:
    """The file log in a folder. Opened for writing, it is made where there is none.

    `warnings` collects what was found and put right or passed over; who opens the log shows them.
    `on_warning` gets them as they come, for those who follow.
    """

    def __init__(
        self,
        folder: Path,
        *,
        write: bool = False,
        codec: str = "zstandard",
        segment_bytes: int = 64 * 2**20,
        segment_messages: int = 500_000,
        on_warning: Warn | None = None,
        on_closed: SegmentClosed = lambda _: None,
    ) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self._on_warning = on_warning
        self._writer: Writer | None = None
        try:
            if write:
                _create(folder, codec)
            self._sync = _identity(folder)
            if write:
                self._writer = Writer(
                    folder,
                    self._sync,
                    codec=codec,
                    segment_bytes=segment_bytes,
                    segment_messages=segment_messages,
                    warn=self._warn,
                    closed=on_closed,
                )
        except OSError as error:
            raise LogError(f"{error.filename or folder}: {error.strerror}: no log there") from None

    def _warn(self, text: str) -> None:
        self.warnings.append(text)
        if self._on_warning is not None:
            self._on_warning(text)

    @property
    def identity(self) -> str:
        """The log's name for itself; one that is made anew has another."""
        return self._sync.hex()

    @property
    def marker(self) -> bytes:
        """The bytes that end every block; the identity is the same in hex digits."""
        return self._sync

    def append(self, messages: Sequence[Outgoing]) -> None:
        """Write messages; what returns is on the disk."""
        if self._writer is None:
            raise LogError(f"{self.folder}: the log is open for reading only")
        self._writer.append(messages)

    def read(self, start: Mapping[int, int]) -> Iterator[Message]:
        """What is there now, from an offset on; damage comes as messages that say so."""
        reader = self._reader(start)
        try:
            yield from reader.messages()
            if reader.unfinished and not writer_lives(self.folder):
                self._warn(
                    f"{reader.unfinished.reason}: a writer died there before it was acknowledged; "
                    f"the next one cuts it off"
                )
            self._check_end(reader)
        finally:
            reader.close()

    def follow(self, start: Mapping[int, int]) -> Iterator[Message | None]:
        """Like read, and then go on; yields None about ten times a second while idle."""
        reader = self._reader(start)
        try:
            while True:
                yield from reader.messages()
                self._check_end(reader)
                yield None
                time.sleep(POLL_S)
        finally:
            reader.close()

    def end(self) -> Mapping[int, int]:
        """The offset after the last message."""
        if self._writer is not None:
            return {0: self._writer.next}
        reader = FileReader(self.folder, self._sync, 2**62, lambda _: None)
        try:
            for _ in reader.messages():
                pass
            return {0: reader.expected}
        finally:
            reader.close()

    def _reader(self, start: Mapping[int, int]) -> FileReader:
        return FileReader(self.folder, self._sync, start.get(0, 0), self._warn)

    def _check_end(self, reader: FileReader) -> None:
        if reader.expected < reader.start:
            raise LogError(
                f"{self.folder}: the log ends at message {reader.expected}, but reading is to go "
                f"on at {reader.start}: it was cut short; put the missing segments back"
            )

    def close(self) -> None:
        """Let go of files, and let the next writer in."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def open_file_log(
    settings: Settings,
    *,
    write: bool = False,
    on_warning: Warn | None = None,
) -> FileLog:
    """The file log that the settings name, with a checkpoint for each segment that closes."""

    def checkpoint(segment: Path) -> None:
        checkpoint_segment(settings.checkpoints_file, segment, log.marker)

    log = FileLog(
        settings.log_folder,
        write=write,
        codec=settings.codec,
        segment_bytes=settings.segment_bytes,
        segment_messages=settings.segment_messages,
        on_warning=on_warning,
        on_closed=checkpoint,
    )
    if write:
        try:
            checkpoint_segments(settings.checkpoints_file, log.folder, log.marker)
        except BaseException:
            log.close()
            raise
    return log


def _create(folder: Path, codec: str) -> None:
    """Make a log where there is none. The identity comes last: where it is, a segment was too."""
    make_folder(folder)
    if (folder / IDENTITY).exists():
        return
    lock = WriterLock(folder)
    try:
        if (folder / IDENTITY).exists():
            return
        sync = os.urandom(SYNC_SIZE)
        header = encode_header(codec, sync)
        if any(path.stat().st_size > len(header) for _, path in list_segments(folder)):
            raise LogError(_orphans(folder))
        write_whole(segment_path(folder, 0), header)
        write_whole(folder / IDENTITY, sync.hex().encode() + b"\n")
        sync_folder(folder.parent)
    finally:
        lock.close()


def _orphans(folder: Path) -> str:
    return (
        f"{folder}: expected the file {IDENTITY}, which was made with the log, and found only its "
        f"segments; put it back from a copy"
    )


def _identity(folder: Path) -> bytes:
    path = folder / IDENTITY
    try:
        sync = bytes.fromhex(path.read_text("ascii").strip())
    except FileNotFoundError:
        if folder.is_dir() and list_segments(folder):
            raise LogError(_orphans(folder)) from None
        raise LogError(
            f"{folder}: expected a file log, found none; evenhand simulate --to file makes one"
        ) from None
    except ValueError:
        sync = b""
    if len(sync) != SYNC_SIZE:
        raise LogError(f"{path}: expected 32 hex digits; put the file back from a copy")
    return sync
