"""The warehouse in a tool that people already like: Harlequin or DuckDB's own prompt.

Both are given the catalogue read-only, so that neither can hold it against a night.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

from events.formats import WAREHOUSE
from pipelines.warehouse.connect import about_catalogue, connect_fresh
from pipelines.warehouse.current import outdated
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.read import catalogue_in_place

TOOLS = {"harlequin": "--read-only", "duckdb": "-readonly"}
"""In the order in which they are looked for, with the option that opens a file read-only."""


def open_tool(home: Path) -> NoReturn:
    """Become the first tool that is installed, with the catalogue open; where none is, Harlequin by
    uvx."""
    catalogue = catalogue_in_place(home).resolve()
    with connect_fresh(catalogue) as db:
        why = outdated(warehouse_of(home), about_catalogue(db))
    if why is not None:
        raise WarehouseError(
            f"{catalogue}: expected a catalogue in format {WAREHOUSE.version} and of this folder, "
            f"found another ({why}); evenhand upgrade builds it anew"
        )
    for name, read_only in TOOLS.items():
        program = shutil.which(name)
        if program is not None:
            _become(program, [name, read_only, str(catalogue)])
    fetches = shutil.which("uvx")
    if fetches is not None:
        # an environment of its own: newer ones of Harlequin do not go together with our pins
        _become(fetches, ["uvx", "harlequin", TOOLS["harlequin"], str(catalogue)])
    raise WarehouseError(
        f"sql --ui: expected {' or '.join(TOOLS)} on the PATH, or uvx to fetch the first, found "
        f"none; get uvx with: pip install uv"
    )


def _become(program: str, words: list[str]) -> NoReturn:
    try:
        os.execv(program, words)
    except OSError as error:
        raise WarehouseError(f"sql --ui: {program} can't be started: {error.strerror}") from None
