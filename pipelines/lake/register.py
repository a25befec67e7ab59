"""Published days registered in an Iceberg catalogue, by reference: no row is copied.

One transaction per table and day. A day that was published again takes the place of its former
files in the same transaction, so whoever reads sees the one run or the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from events.errors import EvenhandError
from events.objects import ObjectStore
from pipelines.lake.tables import files_of_table, lake_schemas
from pipelines.warehouse.catalogue import Published, published
from pipelines.warehouse.layout import RunFolder, warehouse_of
from pipelines.warehouse.read import catalogue_in_place

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table

NAMESPACE = "evenhand"
_HOW = "uv sync --extra lake, or pip install 'evenhand[lake]'"
_RUN = "evenhand.run"


class LakeError(EvenhandError):
    """A catalogue that can't be opened or does not take a table."""


@dataclass(frozen=True, slots=True)
class RegisteredDay:
    """What was done for one day: how many files each table was given; none where it had them."""

    day: date
    run: str
    files: dict[str, int]


def register(
    home: Path, uri: str, place: str, day: date | None = None, store: ObjectStore | None = None
) -> list[RegisteredDay]:
    """Every published day, or one, in the catalogue at `uri`, whose own files go to `place`.

    `store`: where a lakehouse reads the files, if it does not see the home."""
    catalogue_in_place(home)
    warehouse = warehouse_of(home)
    runs = [p for p in published(warehouse) if p.current and day in (None, p.day)]
    if not runs:
        raise LakeError(f"day {day}: it is not published; evenhand nightly --day {day} does it")
    catalog = _opened(uri, place)
    done = {run: dict.fromkeys(lake_schemas(), 0) for run in runs}
    for name, schema in lake_schemas().items():
        with _said_of(f"{uri}: table {NAMESPACE}.{name}"):
            table = _table(catalog, name, schema)
            for run in runs:
                folder = warehouse.run_folder(run.day, run.run)
                files = _addresses(folder, files_of_table(folder, name), store)
                done[run][name] = _put(table, run, files)
    return [RegisteredDay(run.day, run.run, files) for run, files in done.items()]


def _opened(uri: str, place: str) -> Catalog:
    try:
        from pyiceberg.catalog import load_catalog
    except ImportError:
        raise LakeError(f"the lake needs PyIceberg, which is not installed; {_HOW}") from None
    with _said_of(f"{uri}: the Iceberg catalogue"):
        catalog = load_catalog(NAMESPACE, uri=uri, warehouse=_absolute(uri, place))
        catalog.create_namespace_if_not_exists(NAMESPACE)
    return catalog


def _absolute(uri: str, place: str) -> str:
    """A folder as every reader finds it; a REST catalogue has a name there, a store a scheme."""
    is_folder = "://" not in place and not uri.startswith("http")
    return str(Path(place).absolute()) if is_folder else place


def _table(catalog: Catalog, name: str, schema: pa.Schema) -> Table:
    """The table by gaming day, with the columns of today where it is of an earlier version."""
    identifier = (NAMESPACE, name)
    if not catalog.table_exists(identifier):
        new = catalog.create_table_transaction(identifier, schema)
        with new, new.update_spec() as spec:
            spec.add_identity("day")
    table = catalog.load_table(identifier)
    with table.update_schema() as change:
        change.union_by_name(schema)
    return table


def _addresses(folder: RunFolder, paths: Sequence[Path], store: ObjectStore | None) -> list[str]:
    """The files as a lakehouse finds them; those that are not in its store yet are put there."""
    if store is None:
        return [f"file://{path}" for path in paths]
    there = store.sizes(folder.key("").rstrip("/"))
    for path in paths:
        if folder.key(path.name) not in there:
            store.put(folder.key(path.name), path)
    return [store.uri(folder.key(path.name)) for path in paths]


def _put(table: Table, run: Published, files: Sequence[str]) -> int:
    """The day's files are these; nothing happens where they are already."""
    of_day = f"day = '{run.day}'"
    known = {task.file.file_path for task in table.scan(row_filter=of_day).plan_files()}
    if known == set(files):
        return 0
    by = {_RUN: run.run}
    with table.transaction() as change:
        if known:
            change.delete(of_day, snapshot_properties=by)
        if files:
            change.add_files(list(files), snapshot_properties=by)
    return len(files)


@contextmanager
def _said_of(what: str) -> Iterator[None]:
    """Catalogues are other people's programs, each with errors of its own: one sentence of each."""
    try:
        yield
    except EvenhandError:
        raise
    except Exception as error:  # noqa: BLE001 - they have no root in common
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise LakeError(f"{what}: {why}") from None
