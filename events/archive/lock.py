"""One ingest at a time: a lock that the system lets go of when its holder dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from events.archive.errors import BusyError
from events.runtime.modes import open_file


class Lock:
    """Held from the moment it is made until close(), or until the process ends in any way."""

    def __init__(self, path: Path) -> None:
        self._fd = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            by = f"process {holder}" if holder else "another process"
            raise BusyError(
                f"{path.parent}: {by} is already taking a log into this archive; "
                f"wait for it or stop it, then run this again"
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        """Let the next one in. The file stays: removing it would let two in at once."""
        os.ftruncate(self._fd, 0)
        os.close(self._fd)
