"""The catalogue as today's code would have built it.

A catalogue is derived from the runs' files. One that an earlier version built lacks today's
columns, and one that was moved with its home names files where they are no longer. Whoever only
reads gets one that is built for him alone and gone when he is done; `evenhand upgrade` and the next
night put one in place for everybody.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import duckdb

from events.formats import WAREHOUSE
from pipelines.warehouse.connect import CatalogueAbout, about_catalogue, connect_fresh
from pipelines.warehouse.layout import Warehouse


def connect_current(warehouse: Warehouse) -> duckdb.DuckDBPyConnection:
    """A read-only connection to the catalogue in place, or to one like it in today's format."""
    db = connect_fresh(warehouse.catalogue)
    if outdated(warehouse, about_catalogue(db)) is None:
        return db
    db.close()
    from pipelines.warehouse.catalogue import build, published, whole  # and Arrow with them

    folder = Path(tempfile.mkdtemp(prefix="evenhand-"))
    try:
        copy = folder / warehouse.catalogue.name
        build(copy, warehouse, whole(warehouse, published(warehouse)))
        return connect_fresh(copy)
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # the connection keeps the file itself


def outdated(warehouse: Warehouse, found: CatalogueAbout) -> str | None:
    """Why a catalogue has to be built anew, if it has to."""
    if found.version < WAREHOUSE.version:
        return f"it was in format {found.version}"
    if found.root != str(warehouse.root):
        return f"it named the files of {found.root}"
    return None
