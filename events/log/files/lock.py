"""One writer at a time: a lock that the system lets go of when its process dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from events.log.base import LogError
from events.runtime.modes import open_file

NAME = "lock"


class WriterLock:
    """Held from creation to close(). The file names the process, for messages only."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.fd = open_file(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.fd)
            holder = holder_of(folder)
            who = f"process {holder}" if holder else "another process"
            raise LogError(
                f"{folder}: {who} is writing to this log, and only one may at a time; "
                f"wait until it is done, or stop it"
            ) from None
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        """Let the next writer in."""
        os.ftruncate(self.fd, 0)
        os.close(self.fd)


def holder_of(folder: Path) -> int | None:
    """The process that last took the lock and did not give it back, if it is known."""
    try:
        return int((folder / NAME).read_text("ascii"))
    except (OSError, ValueError):
        return None


def writer_lives(folder: Path) -> bool:
    """Whether a writer seems to be at work. A hint for messages, never a reason to write."""
    pid = holder_of(folder)
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
