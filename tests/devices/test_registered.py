"""Simulated tables stand in the registry: each once, from its first day, after what is there."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from events.devices.keys import key_of
from events.errors import InputError
from events.registry import RegisteredTable, TableKey, add_tables, load_registry
from tests.command import evenhand

PLAY = ("simulate", "--rounds", "2", "--tables")
FIRST, SECOND = ("--day", "2026-11-13"), ("--day", "2026-11-14")


def registry_of(folder: Path) -> Path:
    return folder / ".evenhand" / "tables.toml"


def test_every_simulated_table_is_registered_from_its_first_day(tmp_path: Path) -> None:
    done = evenhand(tmp_path, *PLAY, "4", *FIRST)
    assert done.returncode == 0, done.stderr
    registry = load_registry(registry_of(tmp_path))
    assert registry is not None
    assert list(registry.tables) == ["RWS-PP-01", "RWS-BJ-01", "RWS-PD-01", "MBS-PO-01"]
    assert registry.tables["MBS-PO-01"].property == "MBS"
    assert registry.tables["RWS-PP-01"] == RegisteredTable(
        rulebooks=("pontoon-plus-rws-v5",),
        property="RWS",
        currency="SGD",
        since=date(2026, 11, 13),
        keys=(TableKey("RWS-PP-01-1", key_of("RWS-PP-01").verifier.public, date(2026, 11, 13)),),
    )


def test_what_somebody_wrote_stays_and_nothing_is_added_twice(tmp_path: Path) -> None:
    evenhand(tmp_path, *PLAY, "1", *FIRST)
    file = registry_of(tmp_path)
    by_hand = '# ours\n[tables."RWS-PP-01"]  # moved in May\nproperty = "Sentosa"\ndays = ["mon"]'
    file.write_text(by_hand, "utf-8")
    evenhand(tmp_path, *PLAY, "2", *SECOND)
    text = file.read_text("utf-8")
    assert text.startswith(by_hand + "\n\n")
    registry = load_registry(file)
    assert registry is not None
    assert list(registry.tables) == ["RWS-PP-01", "RWS-BJ-01"]
    assert registry.tables["RWS-PP-01"].property == "Sentosa"
    assert registry.tables["RWS-BJ-01"].since == date(2026, 11, 14)
    evenhand(tmp_path, *PLAY, "2", *SECOND)
    assert file.read_text("utf-8") == text


def test_rounds_that_do_not_go_into_the_home_register_nothing(tmp_path: Path) -> None:
    done = evenhand(tmp_path, *PLAY, "1", *FIRST, "--jsonl", "rounds.jsonl")
    assert done.returncode == 0, done.stderr
    assert not registry_of(tmp_path).exists()


def test_a_registry_outside_the_home_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "house.toml"
    done = evenhand(tmp_path, *PLAY, "1", *FIRST, EVENHAND_TABLES=str(elsewhere))
    assert done.returncode == 0
    assert "outside the home folder" in done.stderr
    assert not elsewhere.exists()


def test_a_registry_that_cannot_be_read_is_told_before_anything_is_played(tmp_path: Path) -> None:
    registry_of(tmp_path).parent.mkdir()
    registry_of(tmp_path).write_text("[tables", "utf-8")
    done = evenhand(tmp_path, *PLAY, "1", *FIRST)
    assert done.returncode == 2
    assert "tables.toml: expected a TOML file" in done.stderr
    assert [p.name for p in registry_of(tmp_path).parent.iterdir()] == ["tables.toml"]


def test_a_home_with_other_tables_and_no_registry_gets_none(tmp_path: Path) -> None:
    """Else all of them would be unknown from then on."""
    evenhand(tmp_path, *PLAY, "2", *FIRST)
    evenhand(tmp_path, "ingest")
    registry_of(tmp_path).unlink()
    fewer = evenhand(tmp_path, *PLAY, "1", *SECOND)
    assert "not written, the archive has tables" in fewer.stderr
    assert not registry_of(tmp_path).exists()
    evenhand(tmp_path, *PLAY, "2", "--day", "2026-11-15")
    registry = load_registry(registry_of(tmp_path))
    assert registry is not None
    assert {t.since for t in registry.tables.values()} == {date(2026, 11, 13)}


def test_simulated_days_are_neither_silent_nor_unknown(tmp_path: Path) -> None:
    for day in (FIRST, SECOND):
        evenhand(tmp_path, *PLAY, "5", *day)
    evenhand(tmp_path, "ingest")
    for day in (FIRST, SECOND):
        told = json.loads(evenhand(tmp_path, "nightly", *day, "--json").stdout)
        assert told["findings"]["by_kind"].keys().isdisjoint({"silent_table", "unknown_table"})


def test_tables_within_one_line_cannot_be_added_to(tmp_path: Path) -> None:
    file = tmp_path / "tables.toml"
    file.write_text("tables = {A = {}}\n", "utf-8")
    with pytest.raises(InputError, match="write those that are there as sections"):
        add_tables(file, {"B": RegisteredTable()})
    assert file.read_text("utf-8") == "tables = {A = {}}\n"


def test_any_name_is_written_so_that_it_is_read_again(tmp_path: Path) -> None:
    file, odd = tmp_path / "tables.toml", 'T"\\\n\x7f\u00e9]'
    table = RegisteredTable(property=odd, since=date(2026, 1, 1), until=date(2026, 1, 2))
    assert add_tables(file, {odd: table}) == [odd]
    registry = load_registry(file)
    assert registry is not None
    assert registry.tables == {odd: table}
