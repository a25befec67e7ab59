"""Files of lines that only ever grow: added to under a lock, on the disk when that returns."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

from events.errors import EvenhandError
from events.runtime.durable import sync_folder, write_all
from events.runtime.modes import make_folder, open_file


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Add lines, given without their ends, after the last whole one."""
    text = "".join(f"{line}\n" for line in lines).encode()
    try:
        make_folder(path.parent)
        fd = open_file(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            _append(fd, text)
        finally:
            os.close(fd)
        sync_folder(path.parent)
    except OSError as error:
        raise EvenhandError(f"{path}: can't be written: {error.strerror}") from None


def _append(fd: int, text: bytes) -> None:
    """After the last whole line: half a line is what a killed process left."""
    end = _end_of_lines(fd)
    os.ftruncate(fd, end)
    os.lseek(fd, end, os.SEEK_SET)
    try:
        write_all(fd, text)
    except OSError:
        os.ftruncate(fd, end)
        raise
    os.fsync(fd)


def _end_of_lines(fd: int) -> int:
    start = size = os.fstat(fd).st_size
    while start > 0:
        start = max(0, start - 65536)
        found = os.pread(fd, size - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def read_lines(path: Path) -> list[bytes]:
    """The lines without their ends; a last one without its end was never acknowledged."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    return content.split(b"\n")[:-1]


def last_lines(path: Path, count: int, most: int = 1 << 16) -> list[bytes]:
    """The last whole lines, without reading those before."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            while True:
                start = max(0, size - most)
                file.seek(start)
                found = file.read(size - start).split(b"\n")[:-1]
                if start == 0 or len(found) > count:
                    return found[-count:]
                most *= 4
    except FileNotFoundError:
        return []
