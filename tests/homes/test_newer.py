"""A home that a newer version wrote is left alone: one sentence, exit 2, nothing touched."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from events.formats import ARCHIVE, SETTINGS, WAREHOUSE, FormatError
from pipelines.warehouse.catalogue import recovered
from pipelines.warehouse.layout import warehouse_of
from tests.homes.kept import KeptHome
from tests.homes.test_read import content_of

ARCHIVE_READERS = (
    "verify",
    "quarantine --json",
    "show {round} --json",
    "evidence {round} -o {out}",
    "what-if --rulebook pontoon-mbs-v5 --from {day} --to {day}",
    "nightly --day {day}",
    "export --from {day} --to {day} -o {out}",
    "ingest",
    "repair {day}",
    "upgrade",
)
WAREHOUSE_READERS = (
    "sql 'SELECT 1'",
    "sql --ui",
    "sql --describe",
    "export --from {day} --to {day} -o {out}",
    "waive F1 --by A --reason b --until {today}",
    "nightly --day {day}",
    "upgrade",
)
SETTINGS_READERS = (
    *(c for c in ARCHIVE_READERS if c != "upgrade"),
    *WAREHOUSE_READERS,
    "config",
    "checkpoints",
    "waivers",
    "kafka status",
    "simulate --tables 1 --rounds 1",
)


def newer_archive(home: Path) -> tuple[Path, int]:
    path = home / "archive" / "journal.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("UPDATE about SET value = ? WHERE name = 'format'", (ARCHIVE.version + 1,))
    db.close()
    return path, ARCHIVE.version


def newer_warehouse(home: Path) -> tuple[Path, int]:
    path = home / "warehouse" / "audit.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE OR REPLACE TABLE about (format INTEGER, root VARCHAR, more INTEGER)")
        db.execute("INSERT INTO about VALUES (?, 'x', 1)", [WAREHOUSE.version + 1])
    return path, WAREHOUSE.version


def newer_settings(home: Path) -> tuple[Path, int]:
    """With a setting that only the newer one knows."""
    path = home / "evenhand.toml"
    text = path.read_text("utf-8")
    path.write_text(f"of_later = true\nformat = {SETTINGS.version + 1}\n{text}", "utf-8")
    return path, SETTINGS.version


@pytest.mark.parametrize(
    ("part", "make", "commands"),
    [
        ("archive", newer_archive, ARCHIVE_READERS),
        ("warehouse", newer_warehouse, WAREHOUSE_READERS),
        ("settings", newer_settings, SETTINGS_READERS),
    ],
    ids=["archive", "warehouse", "settings"],
)
def test_each_command_refuses_it(
    copy: KeptHome, part: str, make: Callable[[Path], tuple[Path, int]], commands: tuple[str, ...]
) -> None:
    path, version = make(copy.home)
    (copy.home / "runs.jsonl").unlink(missing_ok=True)  # what a test writes no house has signed
    before = content_of(copy.home)
    words = {
        "day": copy.answers["days"][0],
        "round": next(iter(copy.answers["show"])),
        "today": datetime.now(UTC).date().isoformat(),
        "out": str(copy.home.parent / "out"),
    }
    for command in commands:
        args = [a.strip("'").format(**words) for a in command.replace("T 1", "T\xa01").split(" ")]
        done = copy.run(*(a.replace("\xa0", " ") for a in args))
        assert (done.returncode, done.stdout) == (2, ""), command
        assert done.stderr == (
            f"evenhand: {path}: expected the {part} in format {version} or older, found "
            f"{version + 1}, which a newer evenhand wrote; install that one or use another home\n"
        ), command
    assert not (copy.home.parent / "out").exists()
    assert content_of(copy.home) == before


def test_the_record_of_a_newer_run_is_refused(copy: KeptHome) -> None:
    """Where the catalogue is lost, the runs' records are what a new one is built from."""
    warehouse = warehouse_of(copy.home)
    assert len(recovered(warehouse)) == len(copy.answers["days"])
    record = min(copy.home.glob("warehouse/day=*/run=*/run.json"))
    content = json.loads(record.read_text("utf-8"))
    record.write_text(json.dumps(content | {"format": WAREHOUSE.version + 1, "more": 1}), "utf-8")
    with pytest.raises(FormatError, match=f"found {WAREHOUSE.version + 1}, which a newer evenhand"):
        recovered(warehouse)


@pytest.mark.parametrize("value", ["0", "-1", '"x"', "true", "1.5", "[]"])
def test_a_format_that_is_no_number_is_named(copy: KeptHome, value: str) -> None:
    path = copy.home / "evenhand.toml"
    path.write_text(f"format = {value}\n", "utf-8")
    done = copy.run("config")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        f"{path}: expected the format of the settings as a number from 1 on, found" in done.stderr
    )


def test_a_journal_without_a_format_is_named(copy: KeptHome) -> None:
    with sqlite3.connect(copy.home / "archive" / "journal.sqlite") as db:
        db.execute("DELETE FROM about WHERE name = 'format'")
    done = copy.run("verify")
    assert done.returncode == 2
    assert "expected the format of the archive as a number from 1 on" in done.stderr


def test_the_format_of_today_may_be_said(copy: KeptHome) -> None:
    path = copy.home / "evenhand.toml"
    text = path.read_text("utf-8")
    path.write_text(f"format = {SETTINGS.version}\n{text}", "utf-8")
    assert copy.run("config").returncode == 0
