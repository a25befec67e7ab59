"""Column files put together: the order of all their rows, each row read once, memory bounded."""

from __future__ import annotations

import gc
from datetime import date
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from events.archive import merging
from events.archive.columns import in_order, records_to_table, stretches
from events.archive.evidence import StoredMessage
from events.archive.ingest import ingest
from events.archive.merging import mergeable, merged
from events.archive.parquet import ColumnFile, write_columns
from events.archive.reader import Archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.codec import body_of, decode_record, hash_body
from tests.events.archive_kit import DAY, LONG_AFTER, ListLog, listed, mixed, play

TABLES = [f"RWS-PP-{n:02d}" for n in range(12)]
SENT = mixed(*(play(name, 3 + n % 4) for n, name in enumerate(TABLES)))


def columns(day: date = DAY) -> pa.Table:
    """The floor's rows as they came, one of them a second time."""
    messages = [m.value for m in SENT] + [SENT[100].value]
    return records_to_table(
        day,
        [decode_record(m) for m in messages],
        [hash_body(body_of(m)) for m in messages],
        [StoredMessage("file:x", 0, n, None, m) for n, m in enumerate(messages)],
    )


def plain(table: pa.Table) -> list[dict[str, object]]:
    return table.to_pylist()


def files(folder: Path, rows: pa.Table, seed: int, count: int) -> list[Path]:
    """The rows in so many files of any length, in row groups of any size."""
    chance = Random(seed)
    cuts = sorted(chance.sample(range(1, rows.num_rows), count - 1))
    out = []
    for n, (start, stop) in enumerate(zip([0, *cuts], [*cuts, rows.num_rows], strict=True)):
        path = folder / f"columns-{n}.parquet"
        part = in_order(rows.slice(start, stop - start))
        if chance.random() < 0.3:  # somebody else's: cut anywhere, and no word about it
            pq.write_table(part, path, row_group_size=7, write_statistics=False)
        else:
            write_columns(path, [part], chance.choice([1, 10, 50, 1000]))
        out.append(path)
    return out


@pytest.mark.parametrize("seed", range(6))
def test_merged_files_have_the_order_of_all_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(merging, "MERGE_ROWS", 100)
    rows = columns()
    parts = list(merged(files(tmp_path, rows, seed, 3 + 4 * seed)))
    assert plain(pa.concat_tables(parts)) == plain(in_order(rows))
    assert [one.table for part in parts for one in stretches(part)] == TABLES  # none is torn apart
    assert len(parts) > 3
    assert all(part.num_rows <= 100 for part in parts)


def test_every_row_is_read_once_however_many_files_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, read = columns(), []
    whole = ColumnFile.read

    def counted(self: ColumnFile, groups: list[int]) -> pa.Table:
        found = whole(self, groups)
        read.append(found.num_rows)
        return found

    paths = []
    for n, start in enumerate(range(0, rows.num_rows, 15)):
        paths.append(tmp_path / f"columns-{n}.parquet")
        write_columns(paths[-1], [in_order(rows.slice(start, 15))], 4)
    monkeypatch.setattr(merging, "MERGE_ROWS", 30)
    monkeypatch.setattr(ColumnFile, "read", counted)
    assert sum(part.num_rows for part in merged(paths)) == rows.num_rows
    assert sum(read) == rows.num_rows


def test_no_files_and_empty_ones_are_merged_too(tmp_path: Path) -> None:
    assert list(merged([])) == []
    path = tmp_path / "columns-1.parquet"
    write_columns(path, [columns().slice(0, 0)])
    assert list(merged([path])) == []


def test_as_many_files_are_merged_at_a_time_as_memory_holds_groups_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = columns()
    paths = [tmp_path / f"columns-{n}.parquet" for n in range(5)]
    for n, path in enumerate(paths):
        write_columns(path, [in_order(rows.slice(20 * n, 20))], 1000)
    monkeypatch.setattr(merging, "HELD_ROWS", 70)
    assert mergeable(paths) == 3
    monkeypatch.setattr(merging, "HELD_ROWS", 100)
    assert mergeable(paths) == 5
    monkeypatch.setattr(merging, "HELD_ROWS", 1)
    assert mergeable(paths) == 2  # else nothing would ever get done


def test_a_day_of_more_files_than_that_is_merged_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "HELD_ROWS", 150)
    monkeypatch.setattr("events.archive.column_buffer.FLUSH_ROWS", 60)
    with ArchiveWriter(tmp_path / "archive", now=lambda: LONG_AFTER) as archive:
        ingest(ListLog(listed(SENT)), archive, batch_messages=30)
    with Archive(tmp_path / "archive") as archive:
        (path,) = archive.column_files(DAY)
        (left,) = archive.db.execute("SELECT count(*) FROM retired").fetchone()
        assert left > len(SENT) // 60  # files of the turns among them
        assert verify(archive).is_well
    with ColumnFile(path) as file:
        assert file.read(list(range(file.groups))).num_rows == len(SENT)


def test_a_file_that_was_read_leaves_nothing_for_the_collector(tmp_path: Path) -> None:
    """Ingest has it look for circles rarely, and a casino-day's file describes itself in 20 MB."""
    path = tmp_path / "columns-1.parquet"
    write_columns(path, [in_order(columns())], 10)

    def held() -> int:
        return sum(isinstance(o, pq.FileMetaData) for o in gc.get_objects())

    gc.collect()
    before = held()
    gc.disable()
    try:
        with ColumnFile(path) as file:
            assert file.holding(frozenset(TABLES[:1])) == [0]
            assert file.first_table(1) > TABLES[0]
            assert file.read([0]).num_rows
        del file
        assert held() == before
    finally:
        gc.enable()
