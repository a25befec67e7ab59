"""The golden rounds of this project."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from checks.golden.load import Golden, read_golden

GOLDEN = Path(__file__).parent / "replay" / "golden"


@cache
def _all(folder: Path) -> tuple[Golden, ...]:
    return tuple(g for path in sorted(folder.rglob("*.yaml")) for g in read_golden(path).rounds)


def load_all(folder: Path = GOLDEN) -> list[Golden]:
    """Every golden round under the folder, in the order of files and cases; read once."""
    return list(_all(folder))
