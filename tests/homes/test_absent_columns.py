"""A column that a later version added is absent in files of an earlier time: there it is null."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from events.archive.columns import ARROW_SCHEMA
from events.archive.errors import DamagedError
from events.archive.parquet import read_columns
from events.archive.reader import Archive
from tests.homes.kept import KeptHome
from tests.homes.test_read import answers_of_the_warehouse_hold

DROPPED = ("currency", "detail", "jackpot")
"""Columns of words and of text that no answer on this home depends on."""


def rewritten(path: Path, table: pa.Table) -> None:
    """In place of the file, not through it: the archive's may have a second name."""
    path.unlink()
    pq.write_table(table, path, compression="zstd")


def without(path: Path, *names: str) -> None:
    """The file as a version without these columns would have written it."""
    rewritten(path, pq.read_table(path, partitioning=None).drop_columns(list(names)))


def as_if_older(copy: KeptHome, day: str) -> list[Path]:
    """The archive's columns of a day without some, and the journal in agreement."""
    files = sorted((copy.home / "archive" / day).glob("columns-*.parquet"))
    for path in files:
        without(path, *DROPPED)
        agreed(copy, path)
    return files


def agreed(copy: KeptHome, path: Path) -> None:
    """The journal takes the file as it is now for the one that it wrote."""
    digest = hashlib.sha256(path.read_bytes()).digest()
    with sqlite3.connect(copy.home / "archive" / "journal.sqlite") as db:
        db.execute(
            "UPDATE columns SET size = ?, sha256 = ? WHERE name = ?",
            (path.stat().st_size, digest, path.name),
        )


def test_the_archive_reads_them_as_null(copy: KeptHome) -> None:
    day = copy.answers["days"][0]
    files = as_if_older(copy, day)
    with Archive(copy.home / "archive") as archive:
        tables = archive.tables_of(date.fromisoformat(day))
        events = archive.read_tables(date.fromisoformat(day), tables)
        some = archive.read_tables(date.fromisoformat(day), tables, ["detail", "seq"])
    assert events.schema.equals(ARROW_SCHEMA)
    assert events.num_rows == sum(tables.values())
    for name in DROPPED:
        assert events[name].null_count == events.num_rows
    assert some.column_names == ["detail", "seq"]
    for table in tables:  # row groups are found by the file's own statistics
        assert read_columns(files, [table]).num_rows == tables[table]


def test_verify_compares_what_the_files_have(copy: KeptHome) -> None:
    day = copy.answers["days"][0]
    (path,) = as_if_older(copy, day)
    manifest = copy.home / "archive" / day / "manifest.json"
    manifest.unlink()  # says the checksum that the file had
    report = {d["day"]: d for d in copy.asked("verify", "--json", codes=(0, 1))["days"]}
    assert [p["message"] for p in report[day]["problems"]] == [
        f"{manifest}: the manifest is missing"
    ]
    table = pq.read_table(path, partitioning=None)
    at, later = table.column_names.index("draw"), pc.add(table["draw"], pa.scalar(1, pa.int32()))
    rewritten(path, table.set_column(at, table.schema.field("draw"), later))
    agreed(copy, path)
    problems = copy.asked("verify", "--day", day, "--json", codes=(1,))["days"][0]["problems"]
    assert any("the columns differ from the evidence in draw" in p["message"] for p in problems)


@pytest.mark.parametrize("names", [("device",), ("table_id",), ("hash", "currency")])
def test_a_file_without_what_every_event_has_is_damaged(
    copy: KeptHome, names: tuple[str, ...]
) -> None:
    path = next((copy.home / "archive" / copy.answers["days"][0]).glob("columns-*.parquet"))
    without(path, *names)
    with pytest.raises(DamagedError, match="expected the archive's columns, found others"):
        read_columns([path], None)


def test_a_file_with_a_column_that_nobody_knows_is_damaged(copy: KeptHome) -> None:
    path = next((copy.home / "archive" / copy.answers["days"][0]).glob("columns-*.parquet"))
    table = pq.read_table(path, partitioning=None)
    rewritten(path, table.append_column("of_later", pa.nulls(len(table), pa.string())))
    with pytest.raises(DamagedError, match="expected the archive's columns, found others"):
        read_columns([path], None)


def test_the_warehouse_has_nulls_beside_days_that_have_them(copy: KeptHome) -> None:
    first, last = copy.answers["days"]
    for folder in (copy.home / "warehouse" / f"day={first}").iterdir():
        for name, dropped in (
            ("events-000", ("card", "moves", "jackpot_bet")),
            ("lines-000", ("odds",)),
            ("findings", ("message", "waiver")),
            ("figures", ("overpaid",)),
        ):
            without(folder / f"{name}.parquet", *dropped)
    for after in (False, True):
        if after:
            assert copy.run("upgrade").returncode == 0
        counts = copy.rows(
            "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM lines), "
            "(SELECT count(*) FROM findings), (SELECT count(*) FROM daily_figures)"
        )
        names = ("events", "lines", "findings", "daily_figures")
        assert counts == [[copy.answers["counts"][n] for n in names]]
        for table, column in (
            ("events", "card"),
            ("lines", "odds"),
            ("findings", "message"),
            ("daily_figures", "overpaid"),
        ):
            had = copy.rows(
                f"SELECT DISTINCT day FROM {table} WHERE {column} IS NOT NULL ORDER BY day"
            )
            assert had == [[last]], (table, column)


def test_the_night_goes_on_from_them(copy: KeptHome) -> None:
    """A finding is no other one because the program has a column more, or makes ids otherwise."""
    day = copy.answers["days"][0]
    as_if_older(copy, day)
    current = max((copy.home / "warehouse" / f"day={day}").iterdir())
    night = copy.asked("nightly", "--day", day, "--json", codes=(1,))
    assert night["changes"]["since"] == current.name.removeprefix("run=")
    assert night["changes"]["changed"]["count"] == 0
    for which, told in (("more", "new"), ("gone", "gone")):
        rows = [row for row in copy.since["findings"][which] if row[0] == day]
        assert night["changes"][told]["count"] == len(rows), told
    answers_of_the_warehouse_hold(copy, anew=[day])
