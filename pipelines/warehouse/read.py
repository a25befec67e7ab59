"""The warehouse open for auditors: reading only, and nothing outside its folder.

DuckDB knows no users, so what an auditor may do is settled by how the file is opened.
"""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path

import duckdb

from pipelines.warehouse.current import connect_current
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.sql_text import literal

MEMORY = "4GB"


def catalogue_in_place(home: Path) -> Path:
    """The catalogue that is published, or a sentence that there is none."""
    warehouse = warehouse_of(home)
    if not warehouse.catalogue.exists():
        raise WarehouseError(
            f"{warehouse.root}: there is no warehouse here yet; evenhand nightly makes one"
        )
    return warehouse.catalogue


def open_readonly(
    home: Path, memory: str = MEMORY, *, lasting: bool = False
) -> duckdb.DuckDBPyConnection:
    """A connection to the catalogue as it is now; a publication meanwhile does not change it.

    Neither this nor anything asked of it can keep a run from publishing: the run puts a new file
    in place, and this connection goes on with the old one. `memory`: no query takes more, and what
    does not fit is spilled outside the warehouse. `lasting`: it stays open, and keeps nothing of
    the files in memory from one question to the next; the system does that. What is asked goes
    through `pipelines.ask.gate` first: DuckDB itself would let a COPY write wherever it may read.
    """
    catalogue = catalogue_in_place(home)
    try:
        db = connect_current(warehouse_of(home))
        for statement in (
            "SET TimeZone = 'UTC'",
            f"SET temp_directory = {literal(_spill())}",
            "SET enable_progress_bar = true",  # counted, and told by us (pipelines/ask/cancel.py)
            "SET enable_progress_bar_print = false",
            "SET parquet_metadata_cache = true",  # a view reads one file several times
            "SET python_enable_replacements = false",
            "SET autoinstall_known_extensions = false",
            "SET autoload_known_extensions = false",
            "SET allow_community_extensions = false",
            "SET allow_persistent_secrets = false",
            f"SET memory_limit = {literal(memory)}",
            *(["SET enable_external_file_cache = false"] if lasting else []),
            f"SET allowed_directories = [{literal(f'{catalogue.parent}/')}]",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            db.execute(statement)
    except duckdb.Error as error:
        raise WarehouseError(f"{catalogue}: can't be opened: {error}") from None
    return db


def _spill() -> Path:
    """A folder that DuckDB makes when it needs one, and removes with the connection."""
    return Path(tempfile.gettempdir()) / f"evenhand-sql-{secrets.token_hex(8)}"
