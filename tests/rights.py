"""What only somebody without root's rights meets: folders that are closed to him."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
DROP_ROOT = f"import os\nif os.geteuid() == 0:\n    os.seteuid({NOBODY})\n"
"""For a process of its own; what it needs must be imported before, it may lie in root's folders."""


@contextmanager
def closed_folder() -> Iterator[Path]:
    """A folder that everybody may look into; what lies in it is closed by the test.

    Not pytest's, which lies in one that only its owner may enter.
    """
    folder = Path(tempfile.mkdtemp(prefix="evenhand-rights-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir():
                path.chmod(0o700)
        shutil.rmtree(folder)


@contextmanager
def without_root() -> Iterator[None]:
    """As nobody, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
