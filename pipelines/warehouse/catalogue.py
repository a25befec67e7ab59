"""The catalogue: built beside the one that auditors have open, and renamed into its place.

It is derived: the small tables are loaded from the files of each day's run, the big ones are views
that name theirs. So a catalogue that is lost can be built again, and one that is being built can
be thrown away.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from events.formats import WAREHOUSE
from events.runtime.durable import sync_folder
from events.runtime.modes import seal
from pipelines.people.act import DeedBook
from pipelines.people.rows import case_rows, log_rows
from pipelines.warehouse.chain import add_link, head_of_chain, withdraw_unfinished
from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.history import history_table
from pipelines.warehouse.layout import RunFolder, Warehouse
from pipelines.warehouse.locks import publish_lock
from pipelines.warehouse.record import RunRecord, read_record, write_record
from pipelines.warehouse.sql_text import literal
from pipelines.warehouse.steps import take_steps
from pipelines.warehouse.views import select_from, view_statements
from pipelines.warehouse.words import (
    ABOUT,
    CASES,
    CLAUSES,
    HISTORY,
    NAMES,
    PEOPLE_LOG,
    RULEBOOKS,
    RUNS,
    SMALL,
    TABLES,
    comments_of,
)

_FORMAT: dict[str, Any] = {"storage_compatibility_version": "v1.4.0"}
"""The file's format: the one that tools with DuckDB 1.4 and later open too."""


@dataclass(frozen=True, slots=True)
class Published:
    """A run that the catalogue names."""

    day: date
    run: str
    published_at: datetime
    superseded_at: datetime | None = None

    @property
    def current(self) -> bool:
        return self.superseded_at is None


def published(warehouse: Warehouse) -> list[Published]:
    """The runs of the catalogue in place, by day and time; none where there is no catalogue."""
    if not warehouse.catalogue.exists():
        return []
    try:
        with connect_fresh(warehouse.catalogue) as db:
            rows = db.execute(
                "SELECT day, run, epoch_us(published_at), epoch_us(superseded_at) FROM runs "
                "ORDER BY day, run"
            ).fetchall()
    except duckdb.Error as error:
        raise WarehouseError(
            f"{warehouse.catalogue}: the catalogue can't be read: {error}; move it away and run "
            f"evenhand nightly again: it is built anew from the days' files"
        ) from None
    return [Published(day, run, _moment(at) or _EPOCH, _moment(to)) for day, run, at, to in rows]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(us: int | None) -> datetime | None:
    return None if us is None else datetime.fromtimestamp(us / 1_000_000, UTC)


def recovered(warehouse: Warehouse) -> list[Published]:
    """Where the catalogue is lost: the last whole run of each day counts."""
    last: dict[date, Published] = {}
    for folder in warehouse.run_folders():
        record = read_record(folder)
        if record is not None:
            at = datetime.fromisoformat(record.finished_at)
            last[folder.day] = Published(folder.day, folder.run, at)
    return list(last.values())


MadeRun = tuple[RunFolder, RunRecord]
"""A run's files, and what is to be written down of it."""


def publish(
    warehouse: Warehouse, folder: RunFolder, record: RunRecord, now: datetime | None = None
) -> list[Published]:
    """Make a run the one that counts for its day: the only step that auditors can see."""
    return publish_many(warehouse, [(folder, record)], now)


def publish_many(
    warehouse: Warehouse, made: Sequence[MadeRun], now: datetime | None = None
) -> list[Published]:
    """Make each of these runs the one that counts for its day, all at once or none.

    Their records are written here, where no other run can come in between: each holds the hash of
    the publication before. Returns the runs that the new catalogue names.
    """
    at = now or datetime.now(UTC)
    days = {folder.day for folder, _ in made}
    with publish_lock(warehouse):
        take_steps(warehouse)
        withdraw_unfinished(warehouse)
        for folder, record in made:
            write_record(folder, record)
        known = published(warehouse) or recovered(warehouse)
        new = {(folder.day, folder.run) for folder, _ in made}
        others = [p for p in known if (p.day, p.run) not in new]
        runs = [
            replace(p, superseded_at=at) if p.day in days and p.current else p
            for p in whole(warehouse, others)
        ]
        runs += [Published(folder.day, folder.run, at) for folder, _ in made]
        for folder, _ in made:
            sync_folder(folder.path)  # what the catalogue names is there after the power failed
            sync_folder(warehouse.day_folder(folder.day))
        sync_folder(warehouse.root)
        put_in_place(warehouse, runs, made)
    return runs


def whole(warehouse: Warehouse, runs: Iterable[Published]) -> list[Published]:
    """Those runs whose files are still there."""
    return [p for p in runs if warehouse.run_folder(p.day, p.run).record.exists()]


def put_in_place(
    warehouse: Warehouse,
    runs: Iterable[Published],
    made: Sequence[MadeRun] = (),
) -> None:
    """With the lock held: a catalogue of these runs takes the place of the one that is there.

    `made`: the runs that are new in it. The house signs for all of it before the rename."""
    draft = warehouse.root / f".audit-{os.getpid()}.duckdb"
    build(draft, warehouse, sorted(runs, key=lambda p: (p.day, p.run)))
    seal(draft)
    for folder, record in made:
        linked = replace(record, before=head_of_chain(warehouse.root.parent))
        write_record(folder, linked)
        sync_folder(folder.path)
        add_link(warehouse, draft, (folder, linked))
    if not made:
        add_link(warehouse, draft)
    draft.replace(warehouse.catalogue)
    sync_folder(warehouse.root)


def build(path: Path, warehouse: Warehouse, runs: Sequence[Published]) -> None:
    """Write a catalogue of these runs."""
    current = [warehouse.run_folder(p.day, p.run) for p in runs if p.current]
    records = {p: read_record(warehouse.run_folder(p.day, p.run)) for p in runs}
    rows = [_run_row(p, record) for p, record in records.items() if record is not None]
    write_catalogue(path, current, pa.Table.from_pylist(rows, RUNS), _of_home(warehouse))


def _of_home(warehouse: Warehouse) -> dict[str, pa.Table]:
    """What the home keeps beside the runs: the findings' history, and what people did."""
    home = warehouse.root.parent
    book = DeedBook(home)
    return {
        "finding_history": history_table(home, HISTORY),
        "people_log": pa.Table.from_pylist(log_rows(book.log.read().entries), PEOPLE_LOG),
        "cases": pa.Table.from_pylist(case_rows(book.people()), CASES),
    }


_NOTHING = {"finding_history": HISTORY, "people_log": PEOPLE_LOG, "cases": CASES}


def write_catalogue(
    path: Path,
    folders: Sequence[RunFolder],
    runs: pa.Table,
    of_home: Mapping[str, pa.Table] | None = None,
) -> None:
    """A database file with all tables, views and comments, on the disk when this returns."""
    told = of_home or {name: schema.empty_table() for name, schema in _NOTHING.items()}
    root = folders[0].path.parents[1] if folders else path.parent
    made = pa.Table.from_pylist([{"format": WAREHOUSE.version, "root": str(root)}], ABOUT)
    for old in (path, path.with_name(path.name + ".wal")):
        old.unlink(missing_ok=True)
    try:
        with duckdb.connect(str(path), config=_FORMAT) as db:
            db.execute("SET TimeZone = 'UTC'")
            db.execute("SET parquet_metadata_cache = true")  # else every view reads them anew
            db.execute("BEGIN")  # one commit: a file nobody has seen needs no more
            for name in SMALL:
                _load_small(db, name, folders)
            own = (("about", made), ("runs", runs), *told.items())
            for name, rows in (*own, *_rulebook_tables()):
                _create(db, name, rows)
            for statement in view_statements(folders):
                db.execute(statement)
            for statement in list(_comments(db)):
                db.execute(statement)
            db.execute("COMMIT")
            db.execute("CHECKPOINT")
    except duckdb.Error as error:
        raise WarehouseError(
            f"{path}: the catalogue can't be written: {error}; the one in place stays as it was"
        ) from None
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _load_small(db: duckdb.DuckDBPyConnection, name: str, folders: Sequence[RunFolder]) -> None:
    """A small table: the files of all days, in the order of the days. A run of an earlier version
    may have none of its name."""
    table = NAMES.get(name, name)
    files = [[f.small(name)] for f in folders if f.small(name).exists()]
    db.execute(f"CREATE TABLE {table} AS {select_from(files, SMALL[name])}")


def _create(db: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    db.register("rows_to_load", rows)
    db.execute(f"CREATE TABLE {name} AS SELECT * FROM rows_to_load")
    db.unregister("rows_to_load")


def _comments(db: duckdb.DuckDBPyConnection) -> Iterable[str]:
    """COMMENT ON for every table, view and column that the database has by now."""
    rows = db.execute(
        "SELECT table_name, table_name IN (SELECT view_name FROM duckdb_views()), "
        "list(column_name) FROM duckdb_columns() WHERE NOT internal GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    for table, is_view, columns in rows:
        yield f"COMMENT ON {'VIEW' if is_view else 'TABLE'} {table} IS {literal(TABLES[table])}"
        words = comments_of(table)
        for column in columns:
            yield f'COMMENT ON COLUMN {table}."{column}" IS {literal(words[column])}'


def _run_row(p: Published, record: RunRecord) -> dict[str, Any]:
    return {
        "run": record.run,
        "day": p.day,
        "current": p.current,
        "started_at": datetime.fromisoformat(record.started_at),
        "finished_at": datetime.fromisoformat(record.finished_at),
        "published_at": p.published_at,
        "superseded_at": p.superseded_at,
        "dagster_run": record.dagster_run,
        "code_version": record.code_version,
        "revision": record.revision,
        "complete": record.complete,
        "rulebooks": json.dumps(record.rulebooks, sort_keys=True),
        "settings": json.dumps(record.settings, sort_keys=True),
        "inputs": json.dumps(record.inputs, sort_keys=True),
        "counts": json.dumps(record.counts, sort_keys=True),
        "changes": json.dumps(record.changes, sort_keys=True),
    }


def _rulebook_tables() -> list[tuple[str, pa.Table]]:
    from replay.fingerprint import fingerprint
    from replay.registry import rulebooks

    books, clauses = [], []
    for book in rulebooks():
        begins, ends = book.in_force_from, book.in_force_until
        books.append(
            {
                "id": book.id,
                "title": book.title,
                "version": book.version,
                "in_force_from": None if begins is None else begins.isoformat(),
                "in_force_until": None if ends is None else ends.isoformat(),
                "property": book.house,
                "notice": book.notice,
                "fingerprint": fingerprint(book.id),
            }
        )
        clauses += [
            {
                "rulebook": book.id,
                "number": c.number,
                "gist": c.gist,
                "held": str(c.held),
                "reason": c.reason,
            }
            for c in book.clauses
        ]
    return [
        ("rulebooks", pa.Table.from_pylist(books, RULEBOOKS)),
        ("clauses", pa.Table.from_pylist(clauses, CLAUSES)),
    ]
