"""Column files: sorted by table and seq, cut so that a table can be read without its day.

A row group ends where a table ends, once it is large enough, and the file's own statistics say
which tables a group holds; a reader takes the groups it needs and leaves the others on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from events.archive.columns import ARROW_SCHEMA, ORDER, in_order, stretches
from events.archive.errors import ArchiveError, DamagedError
from events.errors import EvenhandError
from events.objects import AnyFile, ObjectFile, ObjectStoreError, to_read
from events.runtime.durable import sync_folder
from events.runtime.modes import seal

ROWS_PER_GROUP = 32_768
PASSING_GROUP = 8_192
"""The same of a file that others will be merged with: a merge holds one group of each."""

_COUNTED = {"seq": "DELTA_BINARY_PACKED", "offset": "DELTA_BINARY_PACKED"}
_NO_DICTIONARY = frozenset({"seq", "offset", "seen_at", "arrived_at", "prev", "hash"})
_DICTIONARY = [n for n in ARROW_SCHEMA.names if n not in _NO_DICTIONARY]


def write_columns(
    path: Path, parts: Iterable[pa.Table], rows_per_group: int = ROWS_PER_GROUP
) -> int:
    """Write sorted tables, none of which shares a table with the one before; how many rows.

    The file is on the disk, under its name, when this returns.
    """
    draft = path.with_name(path.name + ".draft")
    rows = 0
    try:
        with pq.ParquetWriter(
            draft,
            ARROW_SCHEMA,
            compression="zstd",
            compression_level=1,
            use_dictionary=_DICTIONARY,  # type: ignore[arg-type] # the stubs know only bool
            column_encoding=_COUNTED,
            write_statistics=["table_id", "seq", "seen_at", "round"],
        ) as writer:
            for part in parts:
                rows += part.num_rows
                for start, stop in _groups(part, rows_per_group):
                    writer.write_table(part.slice(start, stop - start), row_group_size=stop - start)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        seal(draft)
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise ArchiveError(
            f"{path}: can't be written: {error.strerror or error}; the evidence is safe, make room "
            f"and run ingest again"
        ) from error
    return rows


def _groups(table: pa.Table, rows: int) -> Iterator[tuple[int, int]]:
    """Where row groups begin and end: at the end of a table, once there are enough rows."""
    start = 0
    for _, _, stop in stretches(table):
        if stop - start >= rows or stop == table.num_rows:
            yield start, stop
            start = stop


def read_columns(
    paths: Sequence[AnyFile], tables: Collection[str] | None, names: Sequence[str] | None = None
) -> pa.Table:
    """The rows of some tables (None: all) in order. `names`: only these columns."""
    wanted = None if tables is None else frozenset(tables)
    needed = [n for n in ARROW_SCHEMA.names if names is None or n in names or n in ORDER]
    schema = pa.schema([ARROW_SCHEMA.field(n) for n in needed])
    parts = [_read_file(path, wanted, needed) for path in paths]
    if len(paths) > 1:  # one file has its rows in order already
        whole = in_order(pa.concat_tables([schema.empty_table(), *_table_by_table(parts)]))
    else:
        whole = pa.concat_tables([schema.empty_table(), *parts])
    return whole if names is None else whole.select(list(names))


def _table_by_table(parts: Sequence[pa.Table]) -> Iterator[pa.Table]:
    """The rows of files put together: of each table what the files have, one after the other."""
    pieces = [
        (one.table, number, part.slice(one.start, one.stop - one.start))
        for number, part in enumerate(parts)
        for one in stretches(part)
    ]
    for _, _, piece in sorted(pieces, key=lambda p: p[:2]):
        yield piece


def _damaged(path: AnyFile, what: str) -> EvenhandError:
    if isinstance(path, ObjectFile):
        return ObjectStoreError(
            f"{path}: {what}; the house's machine has the file, so look at the store"
        )
    day = path.parent.name
    return DamagedError(f"{path}: {what}; evenhand repair {day} makes it again from the evidence")


class ColumnFile:
    """A column file open for reading. Columns that an earlier time did not write are nulls."""

    def __init__(self, path: AnyFile) -> None:
        self._path = path
        with _told(path):
            self._file = pq.ParquetFile(to_read(path))
        absent = absent_columns(self._file.schema_arrow)
        if absent is None:
            self.close()
            raise _damaged(path, "expected the archive's columns, found others")
        self._absent, self.groups = absent, self._file.num_row_groups

    def __enter__(self) -> ColumnFile:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def read(self, groups: list[int], columns: list[str] = ARROW_SCHEMA.names) -> pa.Table:
        """The rows of some row groups."""
        there = [name for name in columns if name not in self._absent]
        with _told(self._path):
            # the columns of one group are not worth handing out to threads
            table = self._file.read_row_groups(groups, columns=there, use_threads=len(groups) > 1)
        return _with_nulls(table, columns)

    def holding(self, tables: frozenset[str] | None) -> list[int]:
        """The row groups that may hold one of the tables."""
        return _holding(self._file.metadata, tables)

    def first_table(self, group: int) -> str:
        """The table that a row group begins with."""
        metadata = self._file.metadata
        stats = metadata.row_group(group).column(_place_of_table(metadata)).statistics
        if stats is not None and stats.has_min_max:
            return str(stats.min)
        return str(self.read([group], ["table_id"])["table_id"][0].as_py())

    def largest_group(self) -> int:
        """The rows of the largest row group."""
        metadata = self._file.metadata
        return max((metadata.row_group(n).num_rows for n in range(self.groups)), default=0)


@contextmanager
def _told(path: AnyFile) -> Iterator[None]:
    """What goes wrong with a column file says which one, and what to do."""
    try:
        yield
    except FileNotFoundError:
        raise _damaged(path, "the column file is missing") from None
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, f"the column file can't be read: {error}") from None


def _read_file(path: AnyFile, tables: frozenset[str] | None, columns: list[str]) -> pa.Table:
    with ColumnFile(path) as file:
        table = file.read(file.holding(tables), columns)
    return table if tables is None else _of_tables(table, tables)


def _place_of_table(metadata: pq.FileMetaData) -> int:
    """The table's place among the columns of a row group.

    `metadata.schema` would say it too, but the two then hold each other: tens of megabytes of a
    casino-day's file stay until Python looks for such circles, which ingest has it do rarely.
    """
    group = metadata.row_group(0)
    names = (group.column(n).path_in_schema for n in range(group.num_columns))
    return next(n for n, name in enumerate(names) if name == "table_id")


def _of_tables(rows: pa.Table, tables: frozenset[str]) -> pa.Table:
    """The rows of some tables. Each has its rows in one stretch, so that nothing is copied."""
    wanted = [(start, stop) for name, start, stop in stretches(rows) if name in tables]
    joined: list[tuple[int, int]] = []
    for start, stop in wanted:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    parts = [rows.slice(start, stop - start) for start, stop in joined]
    return parts[0] if len(parts) == 1 else pa.concat_tables([rows.slice(0, 0), *parts])


def absent_columns(found: pa.Schema) -> set[str] | None:
    """The columns that a file of an earlier time does not have yet; None where it is no such file.

    Only a column that may be null can be absent, and what is there is there as it is today.
    """
    if any(name not in ARROW_SCHEMA.names for name in found.names):
        return None
    absent = set(ARROW_SCHEMA.names).difference(found.names)
    for field in ARROW_SCHEMA:
        fits = field.nullable if field.name in absent else found.field(field.name).equals(field)
        if not fits:
            return None
    return absent


def absent_in(path: AnyFile) -> set[str]:
    """The columns that a file does not have yet."""
    return absent_columns(pq.read_schema(to_read(path))) or set()


def _with_nulls(table: pa.Table, names: list[str]) -> pa.Table:
    """The columns asked for, those that the file lacks as nulls."""
    for name in names:
        if name not in table.column_names:
            field = ARROW_SCHEMA.field(name)
            table = table.append_column(field, pa.nulls(table.num_rows, type=field.type))
    return table.select(names)


def _holding(metadata: pq.FileMetaData, tables: frozenset[str] | None) -> list[int]:
    """The row groups that may hold one of the tables."""
    if tables is None or not metadata.num_row_groups:
        return list(range(metadata.num_row_groups))
    found = []
    column = _place_of_table(metadata)
    for n in range(metadata.num_row_groups):
        stats = metadata.row_group(n).column(column).statistics
        if stats is None or not stats.has_min_max:
            found.append(n)
            continue
        low, high = str(stats.min), str(stats.max)
        if any(low <= table <= high for table in tables):
            found.append(n)
    return found


def by_table(events: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """One table's rows after the other; they are sorted by table."""
    for table, start, stop in stretches(events):
        yield table, events.slice(start, stop - start)
