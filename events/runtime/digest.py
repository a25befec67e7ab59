"""The checksum of a file, for whoever needs nothing else of the archive."""

from __future__ import annotations

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> bytes:
    """The checksum of a whole file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
