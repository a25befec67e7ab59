"""The log of what people do: one JSON object a line, only ever added to, each holding the SHA-256
of the line before.

Two files have this format: `people/log.jsonl` for what changes something (decisions, cases,
accounts), `people/access.jsonl` for who came and what he opened, which is a hundred times as much.
What stands before the first entry that does not fit counts; from there on nothing does, and nothing
is added until the file is as it was. A cut at the end shows only against a head that was kept
elsewhere: head() is what the night seals.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from events.contract import show
from events.errors import ContractError, EvenhandError
from events.handed import bounds
from events.handed.text import read_whole
from events.runtime.durable import sync_folder, write_all
from events.runtime.modes import make_folder, open_file
from pipelines.people.entry import (
    LINE_BYTES,
    ZEROS,
    Deed,
    LogEntry,
    LogHead,
    from_line,
    hash_line,
    to_line,
)

Clock = Callable[[], datetime]


class PeopleLogError(EvenhandError):
    """A log of what people do that can't be read or added to."""


@dataclass(frozen=True, slots=True)
class LogProblem:
    """What does not fit, and the entry that it is about."""

    number: int
    message: str


@dataclass(frozen=True, slots=True)
class LogRead:
    """A log as it is: the entries that count, the end of the file, and what is wrong."""

    path: Path
    entries: tuple[LogEntry, ...] = ()
    head: LogHead = field(default_factory=LogHead)
    problems: tuple[LogProblem, ...] = ()
    size: int = 0
    """Bytes up to the end of the last whole entry; what lies behind was never acknowledged."""
    open_end: bool = False
    """Whether the last entry lacks nothing but the end of its line."""

    def against(self, known: Mapping[int, bytes]) -> list[LogProblem]:
        """What is wrong, also against heads that were kept elsewhere (number -> hash)."""
        found = list(self.problems)
        for number, kept in sorted(known.items()):
            if number > self.head.number:
                found.append(_cut(self.path, self.head.number, number))
                break
            after = self.entries[number].prev if number < len(self.entries) else None
            now = self.head.hash if number == self.head.number else after
            if number and now is not None and now != kept:
                says = f"{self.path}, entry {number}: it is not the one that was sealed"
                found.append(LogProblem(number, f"{says}; it or one before it was changed"))
                break
        return found


def _cut(path: Path, last: int, sealed: int) -> LogProblem:
    which = f"entry {sealed} is" if sealed == last + 1 else f"entries {last + 1} to {sealed} are"
    return LogProblem(last + 1, f"{path}: {which} gone: a seal knows of them, the log ends before")


def head(home: Path) -> LogHead:
    """Where the log of decisions ends now: for run.json and the day's checkpoint."""
    return PeopleLog(decisions_file(home)).read().head


def decisions_file(home: Path) -> Path:
    return home / "people" / "log.jsonl"


def access_file(home: Path) -> Path:
    return home / "people" / "access.jsonl"


def utc_now() -> datetime:
    return datetime.now(UTC)


class PeopleLog:
    """One file of this format."""

    def __init__(self, path: Path, clock: Clock = utc_now) -> None:
        self.path, self._clock = path, clock
        self._read: tuple[tuple[int, int, int], LogRead] | None = None
        self._nothing = LogRead(path)

    def read(self) -> LogRead:
        """All of it, looked at again only where the file has changed."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return self._nothing
        except OSError as error:
            raise PeopleLogError(f"{self.path}: can't be read: {error.strerror}") from None
        key = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._read is None or self._read[0] != key:
            self._read = key, parse_log(self.path, read_whole(self.path, bounds.KEPT_BYTES))
        return self._read[1]

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """With the file locked: what it says, and the only way to add to it."""
        with self._locked() as fd:
            content = os.pread(fd, os.fstat(fd).st_size, 0)
            found = parse_log(self.path, content)
            if found.problems:
                raise PeopleLogError(
                    f"{found.problems[0].message}; nothing is added to the log until the file is "
                    "as it was: put it back from a backup"
                )
            yield Writing(fd, found, self._clock)

    def note(self, deed: Deed) -> None:
        """Add an entry after the last one, without a look at those before and without waiting for
        the disk: for who opened what, which a page should not be slow for."""
        with self._locked() as fd:
            content, start = _end_of(fd)
            last = content.rfind(b"\n", 0, max(content.rfind(b"\n"), 0)) + 1
            found = parse_log(self.path, content[last:], first=None if start + last else 1)
            if found.problems:
                raise PeopleLogError(found.problems[0].message)
            moved = LogRead(
                self.path,
                head=found.head,
                size=start + last + found.size,
                open_end=found.open_end,
            )
            Writing(fd, moved, self._clock, durable=False).append(deed)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            make_folder(self.path.parent)
            fd = open_file(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        except OSError as error:
            raise PeopleLogError(f"{self.path}: can't be written: {error.strerror}") from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield fd
        except OSError as error:
            raise PeopleLogError(f"{self.path}: can't be written: {error.strerror}") from None
        finally:
            os.close(fd)


class Writing:
    """A log while it is locked: what it says, and adding to it."""

    def __init__(self, fd: int, found: LogRead, clock: Clock, *, durable: bool = True) -> None:
        self._fd, self._clock, self._durable = fd, clock, durable
        self.entries, self.head = list(found.entries), found.head
        self._size, self._open_end, self._path = found.size, found.open_end, found.path

    def append(self, deed: Deed) -> LogEntry:
        """On return the disk has it; half an entry that a killed process left is cut off."""
        entry = LogEntry(self.head.number + 1, self._clock(), deed, self.head.hash)
        line = to_line(entry)
        if len(line) > LINE_BYTES:
            raise PeopleLogError(
                f"{deed.what}: expected an entry of at most {LINE_BYTES:,} bytes, found "
                f"{len(line):,}; choose fewer at once or say it shorter"
            )
        text = (b"\n" if self._open_end else b"") + line + b"\n"
        os.ftruncate(self._fd, self._size)
        os.lseek(self._fd, self._size, os.SEEK_SET)
        write_all(self._fd, text)
        if self._durable:
            os.fsync(self._fd)
            sync_folder(self._path.parent)
        self.head = LogHead(entry.number, hash_line(line))
        self._size, self._open_end = self._size + len(text), False
        self.entries.append(entry)
        return entry


def _end_of(fd: int) -> tuple[bytes, int]:
    """The last two lines at least, and where they begin; lines have a longest length."""
    size = os.fstat(fd).st_size
    most = 1 << 14
    while True:
        start = max(0, size - most)
        content = os.pread(fd, size - start, start)
        if start == 0 or content.count(b"\n") > 2 or most > 4 * LINE_BYTES:
            return content, start
        most *= 8


def parse_log(path: Path, content: bytes, first: int | None = 1) -> LogRead:
    """What a file says, line by line. `first`: the number that it begins with, None for any."""
    walk = _Walk(path, first)
    end = content.rfind(b"\n") + 1
    for line in content[:end].split(b"\n")[:-1]:
        walk.take(line)
    size, open_end = end, False
    rest = content[end:]
    if rest and walk.fits(rest):
        walk.take(rest)
        size, open_end = len(content), True
    sound = walk.entries if walk.sound is None else walk.entries[: walk.sound]
    return LogRead(path, tuple(sound), walk.head, tuple(walk.problems), size, open_end)


class _Walk:
    """The chain, followed from line to line."""

    def __init__(self, path: Path, first: int | None) -> None:
        self.path, self.first = path, first
        self.entries: list[LogEntry] = []
        self.problems: list[LogProblem] = []
        self.head = LogHead() if first == 1 else LogHead(0, b"")
        self.sound: int | None = None
        """How many entries count, once something was wrong."""

    def take(self, line: bytes) -> None:
        number = self.head.number + 1
        try:
            entry = from_line(line)
        except ContractError as error:
            found = show(line.decode("utf-8", "replace")[:40])
            self._wrong(number, f"expected an entry of the log: {error}, found {found}")
            self.head = LogHead(number, hash_line(line))
            return
        if self.first is None and not self.head.number:  # the end of a log: begin where it does
            number = entry.number
        elif entry.number != number:
            self._wrong(
                number,
                f"expected entry {number} there, found number {entry.number}: entries were taken "
                "out, put in or moved",
            )
        elif entry.prev != self.head.hash:
            before = max(number - 1, 1)
            self._wrong(
                before,
                f"it was changed after entry {number} had been written, which holds the hash "
                f"{entry.prev.hex()[:16]}; what stands there now gives {self.head.hash.hex()[:16]}",
            )
        self.entries.append(entry)
        self.head = LogHead(number, hash_line(line))

    def fits(self, line: bytes) -> bool:
        """Whether what has no end of line is a whole entry that goes on from the last one."""
        try:
            entry = from_line(line)
        except ContractError:
            return False
        return (entry.number, entry.prev) == (self.head.number + 1, self.head.hash or ZEROS)

    def _wrong(self, number: int, why: str) -> None:
        self.problems.append(LogProblem(number, f"{self.path}, entry {number}: {why}"))
        if self.sound is None:
            self.sound = number - 1
