"""Writing so that it stays written: all the bytes, on the disk, under a name that is there too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from events.runtime.modes import in_force

TAKEN_AWAY = 0


def write_all(fd: int, content: bytes) -> None:
    """Write every byte; the system may take fewer at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(fd, rest) :]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: a file that was synced can still lose its name."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A name beside a file to write it under; in the end it takes the file's place whole, or goes.
    What goes wrong is told of the file that was asked for; nobody knows the other name."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)  # of a killed process, with rights that keep us out
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.errno is None or str(error.filename or draft) != str(draft):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Make a file that is there with all its bytes or not at all; `mode`: other rights than ours,
    TAKEN_AWAY for a file that a person takes away with the rights that his own mask gives."""
    with draft_of(path) as draft:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            if mode != TAKEN_AWAY:
                os.fchmod(fd, in_force().file if mode is None else mode)
            write_all(fd, content)
            os.fsync(fd)
        finally:
            os.close(fd)
    sync_folder(path.parent)
