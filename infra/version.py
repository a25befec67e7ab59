"""The version of what is built: the tag of this commit, or what follows the last tag.

A clone without tags, or sources without git, build FALLBACK. Hatchling asks at every build.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

FALLBACK = "0.1.0"
_TAG = re.compile(r"v?(\d+\.\d+\.\d+)(?:-(\d+)-g([0-9a-f]+))?")


def version(root: Path | None = None) -> str:
    """`1.4.0` on the tag v1.4.0, `1.4.0.post3+g1a2b3c4` three commits after it."""
    folder = root or Path(__file__).parents[1]
    words = ["git", "-C", str(folder), "describe", "--tags", "--long", "--match", "v[0-9]*"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return FALLBACK
    return of_tag(done.stdout.strip()) if done.returncode == 0 else FALLBACK


def of_tag(described: str) -> str:
    """What git says of a commit, as a version that Python's tools take."""
    found = _TAG.fullmatch(described)
    if found is None:
        return FALLBACK
    number, after, commit = found.groups()
    return number if after in {None, "0"} else f"{number}.post{after}+g{commit}"
