"""Who may do what with our files: what is sealed is for nobody to write, the rest for its owner.

The rights do not keep out the system's administrator, and a file's owner can take them back. They
keep a slip, a tool that somebody points at the wrong file, and every other user from changing what
was written. A process works for one house; the settings say which rights that one wants.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileModes:
    """Rights as chmod counts them: of what is sealed, of other files, of folders."""

    sealed: int = 0o440
    file: int = 0o640
    folder: int = 0o750


DEFAULT = FileModes()


class _House:
    modes = DEFAULT


def use(modes: FileModes) -> None:
    """From now on this process gives these rights."""
    _House.modes = modes


def in_force() -> FileModes:
    return _House.modes


def make_folder(folder: Path) -> None:
    """A folder and those above it that are missing."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):  # another process was quicker
        folder.mkdir()
        folder.chmod(in_force().folder)


def open_file(path: Path, flags: int) -> int:
    """A file of ours; one that is new gets our rights, whatever the process's mask is."""
    try:
        return os.open(path, flags & ~os.O_CREAT)
    except FileNotFoundError:
        fd = os.open(path, flags, in_force().file)
        with suppress(PermissionError):  # somebody else made it in this moment
            os.fchmod(fd, in_force().file)
        return fd


def seal(path: Path) -> None:
    """Nothing is written here any more. It can still be removed or replaced as a whole."""
    path.chmod(in_force().sealed)


def unseal(path: Path) -> None:
    """Back to a file that grows."""
    path.chmod(in_force().file)
