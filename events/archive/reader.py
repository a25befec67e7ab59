"""The archive open for reading: days, tables, rounds. Reads while an ingest writes.

Every answer is as of one moment of the journal. What the journal promises and the disk does not
hold is a DamagedError, never an empty answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from events.archive import manifest, quarantine
from events.archive.columns import ARROW_SCHEMA, in_order
from events.archive.derive import columns_of
from events.archive.errors import ArchiveError, DamagedError, UnknownDayError
from events.archive.evidence import EvidenceFile
from events.archive.journal import open_journal, segments_of, snapshot
from events.archive.layout import Layout
from events.archive.parquet import absent_in, read_columns
from events.contract import did_you_mean
from events.objects import AnyFile, ObjectFile, ObjectStore


@dataclass(frozen=True, slots=True)
class NotedSourceEvent:
    """Something strange about a log, as the journal noted it."""

    source: str
    partition: int | None
    kind: str
    first_offset: int | None
    last_offset: int | None
    message: str
    noted_at: str


class Archive:
    """An archive to read from. Rounds are found by events/archive/finder.py."""

    def __init__(self, root: Path, columns_at: ObjectStore | None = None) -> None:
        """`columns_at`: where the column files are read, if the journal alone lies here."""
        self.layout = Layout(root)
        self.columns_at = columns_at
        self.db: sqlite3.Connection = open_journal(self.layout.journal, write=False)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    def days(self, *, complete: bool = False) -> list[date]:
        """The gaming days that the archive has something of, in order; or those that are over."""
        where = "WHERE complete = 1 " if complete else ""
        rows = self.db.execute(f"SELECT day FROM days {where}ORDER BY day")
        return [date.fromisoformat(r[0]) for r in rows]

    def tables_of(self, day: date) -> dict[str, int]:
        """The tables of a day in order, each with how many events it has."""
        sql = "SELECT table_id, events FROM day_tables WHERE day = ? ORDER BY table_id"
        tables = dict(self.db.execute(sql, (day.isoformat(),)).fetchall())
        if not tables:
            self._check_day(day)
        return tables

    def manifest(self, day: date) -> dict[str, Any]:
        """The day in figures, as of now."""
        self._check_day(day)
        return manifest.build(self.db, day)

    def revision(self, day: date) -> int | None:
        """How often the day was reopened, plus one; None where nothing is known of it."""
        row = self.db.execute(
            "SELECT revision FROM days WHERE day = ?", (day.isoformat(),)
        ).fetchone()
        return None if row is None else int(row[0])

    def quarantine(self, day: date | None = None) -> Iterator[quarantine.Quarantined]:
        """What could not be read as an event, of one day or of all."""
        return quarantine.read(self.db, day)

    def positions(self, source: str) -> dict[int, int]:
        """How far a log was taken in: the next offset, per partition."""
        sql = "SELECT partition, next FROM positions WHERE source = ?"
        return dict(self.db.execute(sql, (source,)).fetchall())

    def source_events(self) -> list[NotedSourceEvent]:
        """What was strange about the logs: made anew, offsets gone, damaged."""
        rows = self.db.execute(
            "SELECT source, partition, kind, first_offset, last_offset, message, noted_at "
            "FROM source_events ORDER BY id"
        )
        return [NotedSourceEvent(*r) for r in rows]

    def column_files(self, day: date) -> list[Path]:
        """The day's column files, for tools that read Parquet themselves."""
        sql = "SELECT name FROM columns WHERE day = ? ORDER BY name"
        rows = self.db.execute(sql, (day.isoformat(),)).fetchall()
        return [self.layout.file(day, r[0]) for r in rows]

    def column_keys(self, day: date) -> list[str]:
        """The same in the same order, as they are called in an object store: what is in a file is
        part of its name there."""
        sql = "SELECT name, sha256 FROM columns WHERE day = ? ORDER BY name"
        rows = self.db.execute(sql, (day.isoformat(),)).fetchall()
        return [f"archive/{day}/{Path(n).stem}-{sha256.hex()[:16]}.parquet" for n, sha256 in rows]

    def _readable(self, day: date) -> Sequence[AnyFile]:
        """The day's column files where this archive reads them."""
        if self.columns_at is None:
            return self.column_files(day)
        return [ObjectFile(self.columns_at, key) for key in self.column_keys(day)]

    def columns_of_files(self, day: date) -> list[str]:
        """The columns that all of the day's files have; those of an earlier time have fewer."""
        absent = set[str]().union(*map(absent_in, self._readable(day)))
        return [name for name in ARROW_SCHEMA.names if name not in absent]

    def read_table_day(self, day: date, table: str) -> pa.Table:
        """A table's events of a day, as columns, by seq."""
        return self.read_tables(day, [table])

    def read_tables(
        self, day: date, tables: Collection[str], columns: Sequence[str] | None = None
    ) -> pa.Table:
        """The events of some tables of a day, by table and seq; the rest of the day is not read.

        `columns`: only these.
        """
        with snapshot(self.db):
            known = self.tables_of(day)
            for table in tables:
                if table not in known:
                    hint = did_you_mean(table, known)
                    raise ArchiveError(f"day {day}: the archive has no table {table}{hint}")
            files, tail = self._readable(day), self._tail(day, frozenset(tables))
        if tail is None:
            found = read_columns(files, tables, columns)
        else:
            found = in_order(pa.concat_tables([read_columns(files, tables), tail]))
            found = found if columns is None else found.select(list(columns))
        expected = sum(known[table] for table in set(tables))
        if found.num_rows != expected:
            raise DamagedError(
                f"{self.layout.folder(day)}: expected {expected} events of the tables asked for, "
                f"found {found.num_rows} in the columns; evenhand verify --day {day} tells more"
            )
        return found

    def read_tail(self, day: date) -> pa.Table | None:
        """The day's events that are in no column file yet, for those who read the files."""
        return self._tail(day, frozenset(self.tables_of(day)))

    def _tail(self, day: date, tables: frozenset[str]) -> pa.Table | None:
        """Events that are committed as evidence and whose columns are not written yet."""
        parts = []
        wanted = pa.array(sorted(tables))
        for row in segments_of(self.db, "day = ? AND columned < length", day.isoformat()):
            if self.columns_at is not None:
                raise ArchiveError(
                    f"day {day}: its last events are in no column file yet, and no other machine "
                    f"has the evidence; run evenhand ingest to its end first"
                )
            with EvidenceFile(self.layout.file(day, row.name)) as file:
                for block in file.blocks(row.columned, row.length):
                    part = columns_of(day, block.messages)
                    mask = pc.is_in(part["table_id"].cast(pa.string()), value_set=wanted)
                    parts.append(part.filter(mask))
        return pa.concat_tables(parts) if parts else None

    def _check_day(self, day: date) -> None:
        days = self.days()
        if day in days:
            return
        has = f"it has {days[0]} to {days[-1]}" if days else "it is empty"
        raise UnknownDayError(f"day {day}: the archive has nothing of it; {has}")


class ArchiveOnDemand(Archive):
    """An archive whose journal is opened with the first question; often nobody asks one."""

    def __init__(self, root: Path, columns_at: ObjectStore | None = None) -> None:
        self.layout = Layout(root)
        self.columns_at = columns_at

    def __getattr__(self, name: str) -> sqlite3.Connection:
        if name != "db":
            raise AttributeError(name)
        self.db = open_journal(self.layout.journal, write=False)
        return self.db

    def close(self) -> None:
        if "db" in self.__dict__:
            self.db.close()
