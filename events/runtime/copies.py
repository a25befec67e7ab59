"""A second file with the same bytes, sharing at most the disk's blocks with the first.

A hard link would cost nothing, and a write through one name would change the other too. Where the
file system can, the copy shares blocks until somebody writes (a reflink); else the bytes are
copied by the kernel.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

FICLONE = 0x40049409
"""Linux: let a file share another one's blocks."""


def copy_file(path: Path, copy: Path) -> None:
    """Make the copy, on the disk when this returns; its name is the caller's to sync."""
    copy.unlink(missing_ok=True)
    with path.open("rb") as source, copy.open("xb") as target:
        if not _share_blocks(source.fileno(), target.fileno()):
            _copy_bytes(source.fileno(), target.fileno())
        os.fsync(target.fileno())


def _share_blocks(source: int, target: int) -> bool:
    with suppress(OSError):  # another file system, or one that cannot
        fcntl.ioctl(target, FICLONE, source)
        return True
    return False


def _copy_bytes(source: int, target: int) -> None:
    left = os.fstat(source).st_size
    while left > 0:
        done = os.sendfile(target, source, None, left)
        if not done:
            break
        left -= done
