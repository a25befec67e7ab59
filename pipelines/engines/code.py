"""Our own code as one zip, so that executors run exactly what the driver runs.

The source and its data, never what was compiled from it: an extension module wins over its `.py`,
is of one machine and one Python, and may be older than the source beside it.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pipelines

PACKAGES = ("events", "replay", "checks", "pipelines")
_COMPILED = {".pyc", ".pyo", ".so", ".pyd", ".c", ".h", ".o"}


def pack_code(target: Path) -> Path:
    """Write the source of the four packages, with their data files, as they are installed here."""
    root = Path(pipelines.__file__).parents[1]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for package in PACKAGES:
            for path in sorted((root / package).rglob("*")):
                if path.is_file() and path.suffix not in _COMPILED:
                    out.write(path, path.relative_to(root).as_posix())
    return target
