"""The warehouse open for auditors: reading only, and nothing outside its folder.

DuckDB knows no users, so what an auditor may do is settled by how the file is opened.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.views import literal

MEMORY = "4GB"
_READS = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})


def catalogue_in_place(home: Path) -> Path:
    """The catalogue that is published, or a sentence that there is none."""
    warehouse = warehouse_of(home)
    if not warehouse.catalogue.exists():
        raise WarehouseError(
            f"{warehouse.root}: there is no warehouse here yet; evenhand nightly makes one"
        )
    return warehouse.catalogue


def open_readonly(home: Path, memory: str = MEMORY) -> duckdb.DuckDBPyConnection:
    """A connection to the catalogue as it is now; a publication meanwhile does not change it.

    Neither this nor anything asked of it can keep a run from publishing: the run puts a new file
    in place, and this connection goes on with the old one. `memory`: no query takes more.
    """
    catalogue = catalogue_in_place(home)
    try:
        db = connect_fresh(catalogue)
        for statement in (
            "SET TimeZone = 'UTC'",
            f"SET memory_limit = {literal(memory)}",
            f"SET allowed_directories = [{literal(f'{catalogue.parent}/')}]",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            db.execute(statement)
    except duckdb.Error as error:
        raise WarehouseError(f"{catalogue}: can't be opened: {error}") from None
    return db


def one_line(error: duckdb.Error) -> str:
    """DuckDB points at the place with a drawing; a sentence is what fits on stderr."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    hint = next((line for line in lines[1:] if line.startswith("Did you mean")), "")
    return " ".join(part for part in (lines[0] if lines else "", hint) if part)


def check_reads_only(sql: str) -> None:
    """Refuse what is not a question. A read-only database still lets COPY write files."""
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise WarehouseError(f"SQL: {one_line(error)}") from None
    if not statements:
        raise WarehouseError("SQL: expected a SELECT, found nothing")
    for statement in statements:
        if statement.type not in _READS:
            raise WarehouseError(
                f"SQL: expected a SELECT, found {statement.type.name}; the warehouse is read only"
            )
