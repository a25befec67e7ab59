"""Which tables a lakehouse gets, with which columns, and the files that a run has of each."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.warehouse.layout import PARTS, RunFolder
from pipelines.warehouse.words import NAMES, PLAYERS, SMALL, part_schema

BIG = tuple(name for name in PARTS if name != "events")
"""What was derived; the events stay in the archive, where their evidence is."""
FEW = {**SMALL, "players": PLAYERS}
CALLED = {**NAMES, "players": "player_figures"}


def lake_schemas() -> dict[str, pa.Schema]:
    """Each table by the name that it has in the catalogue of DuckDB."""
    big = {name: _for_iceberg(part_schema(name)) for name in BIG}
    return big | {CALLED.get(name, name): _for_iceberg(FEW[name]) for name in FEW}


def files_of_table(folder: RunFolder, table: str) -> list[Path]:
    """The run's files of a table; those without a row have no day that Iceberg could read."""
    own = {CALLED.get(name, name): name for name in FEW}
    paths = [folder.small(own[table])] if table in own else folder.parts(table)
    return [p for p in paths if p.exists() and pq.read_metadata(p).num_rows]


def _for_iceberg(schema: pa.Schema) -> pa.Schema:
    """Our comments as Iceberg's; no column is required, because a file of an earlier version may
    lack one."""
    return pa.schema(
        [
            pa.field(
                f.name, f.type, metadata={"doc": (f.metadata or {}).get(b"comment", b"").decode()}
            )
            for f in schema
        ]
    )
