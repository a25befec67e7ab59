"""Opening the catalogue as it is now.

DuckDB keeps one instance per path and process: as long as a connection to the file that stood
there before is open, a second one to the same path would silently get the old file. So the file is
opened under a second name that nobody else uses.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import duckdb

STAGE_MEMORY = "1GB"


def connect_fresh(path: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection to what stands at the path at this moment."""
    folder = None
    with contextlib.suppress(OSError):  # no right to write there: then the plain way
        folder = Path(tempfile.mkdtemp(prefix=".open-", dir=path.parent))
    if folder is None:
        return duckdb.connect(str(path), read_only=True)
    try:
        os.link(path, folder / path.name)
        return duckdb.connect(str(folder / path.name), read_only=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # the connection keeps the file itself


def connect_stage(path: Path) -> duckdb.DuckDBPyConnection:
    """The catalogue of one day before it is published, for our own questions.

    Bounded, and spilling beside it, so that the night's memory does not grow with the day.
    """
    db = duckdb.connect(str(path), read_only=True)
    db.execute(f"SET memory_limit = '{STAGE_MEMORY}'")
    db.execute("SET temp_directory = '" + str(path.parent / "spill").replace("'", "''") + "'")
    db.execute("SET TimeZone = 'UTC'")
    db.execute("SET enable_progress_bar = false")
    return db
