"""Columns made anew from the evidence, and compared with those that the archive has.

The rebuilt columns go to a scratch folder, sorted like the archive's, so that both can be walked
a few tables at a time and a day of any length fits into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from events.archive.columns import ARROW_SCHEMA, in_order, records_to_table, stretches
from events.archive.errors import DamagedError
from events.archive.evidence import EvidenceBlock, EvidenceFile
from events.archive.findings import ArchiveProblem, DayReport, Trouble
from events.archive.journal import segments_of
from events.archive.merging import merged
from events.archive.parquet import PASSING_GROUP, write_columns
from events.archive.reader import Archive
from events.codec import body_of, decode_record, hash_body, record_problem
from events.errors import DecodeError

_SPILL_ROWS = 200_000


@dataclass(slots=True)
class Rebuilt:
    """A day's columns as the evidence gives them. `whole`: all of the evidence could be read."""

    files: list[Path] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    whole: bool = True

    def groups(self) -> Iterator[tuple[list[str], pa.Table]]:
        """Some tables at a time: their names and their rows, by table and seq."""
        for rows in merged(self.files):
            yield [one.table for one in stretches(rows)], rows


def rebuild(archive: Archive, report: DayReport, scratch: Path) -> Rebuilt:
    """Decode all of a day's evidence again. What can't be read goes into the report."""
    rebuilt = Rebuilt()
    waiting: list[pa.Table] = []
    for part in _columns(archive, report, rebuilt):
        waiting.append(part)
        if sum(t.num_rows for t in waiting) >= _SPILL_ROWS:
            _spill(waiting, rebuilt, scratch)
            waiting = []
    if waiting:
        _spill(waiting, rebuilt, scratch)
    report.events = sum(rebuilt.counts.values())
    return rebuilt


def _columns(archive: Archive, report: DayReport, rebuilt: Rebuilt) -> Iterator[pa.Table]:
    for row in segments_of(archive.db, "day = ?", report.day.isoformat()):
        messages = 0
        try:
            with EvidenceFile(archive.layout.file(row.day, row.name)) as file:
                for block in file.blocks(0, row.length):
                    messages += len(block.messages)
                    yield _block_columns(report, block)
        except DamagedError as error:
            rebuilt.whole = False
            text = f"{error}; {row.messages - messages} of its {row.messages} messages are lost"
            report.problems.append(ArchiveProblem(Trouble.UNREADABLE_FILE, text))
            continue
        if messages != row.messages:
            text = f"{row.name}: expected {row.messages} messages, found {messages}"
            report.problems.append(ArchiveProblem(Trouble.COUNT_DIFFERS, text))


def _block_columns(report: DayReport, block: EvidenceBlock) -> pa.Table:
    records, hashes, messages = [], [], []
    for m in block.messages:
        try:
            record = decode_record(m.value)
            problem = record_problem(record)
        except DecodeError as error:
            problem = str(error)
        if problem is not None:
            where = f"{m.source}, partition {m.partition}, offset {m.offset}"
            text = f"{where}: the evidence is no event: {problem}"
            report.problems.append(ArchiveProblem(Trouble.UNREADABLE_FILE, text))
            continue
        records.append(record)
        hashes.append(hash_body(body_of(m.value)))
        messages.append(m)
    return records_to_table(report.day, records, hashes, messages)


def _spill(waiting: list[pa.Table], rebuilt: Rebuilt, scratch: Path) -> None:
    table = in_order(pa.concat_tables(waiting))
    path = scratch / f"{len(rebuilt.files)}.parquet"
    write_columns(path, [table], PASSING_GROUP)
    rebuilt.files.append(path)
    counts: Any = pc.value_counts(table["table_id"].cast(pa.string()))
    for count in counts.to_pylist():
        rebuilt.counts[count["values"]] = rebuilt.counts.get(count["values"], 0) + count["counts"]


def compare(archive: Archive, report: DayReport, names: list[str], rebuilt: pa.Table) -> None:
    """The archive's columns of some tables against the rebuilt ones."""
    try:
        found = archive.read_tables(report.day, names)
    except DamagedError as error:
        report.problems.append(ArchiveProblem(Trouble.COLUMNS_DIFFER, str(error)))
        return
    known = archive.columns_of_files(report.day)
    expected, found = _comparable(rebuilt).select(known), _comparable(found).select(known)
    if expected.equals(found):
        return
    row, column = _first_difference(expected, found)
    table, seq = expected["table_id"][row].as_py(), expected["seq"][row].as_py()
    text = f"table {table}, event {seq}: the columns differ from the evidence in {column}"
    report.problems.append(ArchiveProblem(Trouble.COLUMNS_DIFFER, text, table))


def count_tables(archive: Archive, report: DayReport, rebuilt: Rebuilt) -> None:
    """Every table has as many events in the evidence as the journal says it has."""
    expected = archive.tables_of(report.day)
    for table in sorted(expected.keys() | rebuilt.counts.keys()):
        has, should = rebuilt.counts.get(table, 0), expected.get(table, 0)
        if has != should:
            text = f"table {table}: expected {should} events in the evidence, found {has}"
            report.problems.append(ArchiveProblem(Trouble.COUNT_DIFFERS, text, table))


def _first_difference(expected: pa.Table, found: pa.Table) -> tuple[int, str]:
    """Row and column; both tables have as many rows, and they are not equal."""
    low, high = 0, expected.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        if expected.slice(low, middle - low).equals(found.slice(low, middle - low)):
            low = middle
        else:
            high = middle
    names = expected.column_names
    return low, next(
        n for n in names if not expected[n].slice(low, 1).equals(found[n].slice(low, 1))
    )


def _comparable(table: pa.Table) -> pa.Table:
    """Words instead of numbers into dictionaries, which may be numbered in any order."""
    plain = pa.schema(
        [f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in ARROW_SCHEMA]
    )
    return table.cast(plain).combine_chunks()
