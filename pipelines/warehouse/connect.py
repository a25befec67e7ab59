"""Opening the catalogue as it is now.

DuckDB keeps one instance per path and process: as long as a connection to the file that stood
there before is open, a second one to the same path would silently get the old file. So each
connection is an instance of its own, in memory, to which the file is attached: whoever reads
leaves nothing in the warehouse's folder, not even for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from events.formats import WAREHOUSE
from pipelines.warehouse.sql_text import literal

STAGE_MEMORY = "1GB"


@dataclass(frozen=True, slots=True)
class CatalogueAbout:
    """What a catalogue says of itself: its format, and the folder whose files it names."""

    version: int
    root: str | None


def connect_fresh(path: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection to the catalogue that stands at the path at this moment.

    One in a newer format is refused.
    """
    db = duckdb.connect()
    try:
        db.execute(f"ATTACH {literal(path)} AS audit (READ_ONLY)")
        db.execute("USE audit")
        WAREHOUSE.version_of(about_catalogue(db).version, path)
    except BaseException:
        db.close()
        raise
    return db


def about_catalogue(db: duckdb.DuckDBPyConnection) -> CatalogueAbout:
    """A catalogue of version 1 says nothing."""
    tables = db.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE NOT internal AND table_name = 'about'"
    ).fetchall()
    if not tables[0][0]:
        return CatalogueAbout(1, None)
    (found,) = db.execute("SELECT format, root FROM about").fetchall()
    return CatalogueAbout(*found)


def connect_stage(path: Path) -> duckdb.DuckDBPyConnection:
    """The catalogue of one day before it is published, for our own questions.

    Bounded, and spilling beside it, so that the night's memory does not grow with the day.
    """
    db = duckdb.connect(str(path), read_only=True)
    db.execute(f"SET memory_limit = '{STAGE_MEMORY}'")
    db.execute("SET temp_directory = '" + str(path.parent / "spill").replace("'", "''") + "'")
    db.execute("SET TimeZone = 'UTC'")
    db.execute("SET parquet_metadata_cache = true")  # else every query reads them anew
    db.execute("SET enable_progress_bar = false")
    return db
