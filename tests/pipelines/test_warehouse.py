"""What is published: all of a day or nothing, replaced alone, never under an auditor's hands."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from checks.tables import SCHEMAS
from events.archive.columns import ARROW_SCHEMA
from events.gateway import Gateway
from pipelines.night.plain import run_day
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.read import open_readonly
from pipelines.warehouse.sweep import sweep
from tests.pipelines.kit import (
    DAY,
    MORNING,
    TABLE,
    ask,
    correction,
    played,
    rows_of,
    sent,
    settings_of,
    simulated,
    won_round,
)

NAMES = (
    "events rounds lines settlements findings hands cards bets decisions irregularities "
    "data_quality daily_figures waivers runs rulebooks clauses"
).split()


def test_every_table_and_column_says_what_it_is(audited: Path) -> None:
    home = audited
    tables = dict(
        ask(
            home,
            "SELECT table_name, comment FROM duckdb_tables() UNION ALL "
            "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal",
        )
    )
    assert set(NAMES) <= set(tables)
    assert [t for t, comment in tables.items() if not comment] == []
    silent = ask(
        home,
        "SELECT table_name, column_name FROM duckdb_columns() "
        "WHERE NOT internal AND coalesce(comment, '') = ''",
    )
    assert silent == []


def test_the_columns_are_the_contracts_names(audited: Path) -> None:
    home = audited
    rows = ask(home, "SELECT table_name, column_name FROM duckdb_columns() ORDER BY column_index")
    columns: dict[str, list[str]] = {}
    for table, column in rows:
        columns.setdefault(table, []).append(column)
    for table, schema in (*SCHEMAS.items(), ("events", ARROW_SCHEMA)):
        assert set(schema.names) <= set(columns[table]), table
        assert not {"table", "at", "by"} & set(columns[table]), "SQL reserves these"


def test_the_same_input_gives_the_same_rows(home: Path) -> None:
    settings = settings_of(home)
    run_day(settings, DAY, with_suites=False)
    first = rows_of(home)
    assert len(first["findings"]) > 0
    run_day(settings, DAY, with_suites=False)
    assert rows_of(home) == first
    runs = ask(home, "SELECT current, superseded_at IS NULL FROM runs ORDER BY run")
    assert runs == [(False, False), (True, True)]


def test_running_a_day_again_replaces_that_day_and_nothing_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    simulated(home, DAY, rounds=4)
    simulated(home, DAY + timedelta(days=1), rounds=4)
    settings = settings_of(home)
    for day in (DAY, DAY + timedelta(days=1)):
        run_day(settings, day, with_suites=False)
    before = ask(home, "SELECT * FROM rounds WHERE day <> DATE '2026-03-10'")
    assert before
    run_day(settings, DAY, with_suites=False)
    assert ask(home, "SELECT * FROM rounds WHERE day <> DATE '2026-03-10'") == before
    assert ask(home, "SELECT DISTINCT day FROM rounds ORDER BY 1") == [
        (DAY,),
        (date(2026, 3, 11),),
    ]


def test_a_run_says_what_changed_since_the_last(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE)
    sent(home, played([won_round(0), won_round(1, winnings=3000)], gateway))
    settings = settings_of(home)
    first = run_day(settings, DAY, with_suites=False)
    assert first.state()["changes"]["since"] is None
    assert ask(home, "SELECT kind, money FROM findings") == [("wrong_odds", 500)]
    wrong = ask(home, "SELECT id, round FROM findings")[0]
    late = gateway.send(
        correction(), at=MORNING + timedelta(hours=1), device="console", round_=wrong[1]
    )
    sent(home, [late])
    again = run_day(settings, DAY, with_suites=False).state()["changes"]
    assert again["since"] == first.folder.run
    assert again["gone"] == {"count": 1, "ids": [wrong[0]]}
    assert again["new"]["count"] == 1
    assert again["changed"]["count"] == 0
    assert "late events came: revision 1 became 2" in again["reasons"]
    assert ask(home, "SELECT kind, severity FROM findings") == [("corrected", "note")]


def test_an_auditor_keeps_the_old_state_and_blocks_nobody(home: Path) -> None:
    settings = settings_of(home)
    run_day(settings, DAY, with_suites=False)
    auditor = open_readonly(home)
    count = auditor.execute("SELECT count(*) FROM lines").fetchall()
    run = auditor.execute("SELECT DISTINCT run FROM events").fetchall()
    run_day(settings, DAY, with_suites=False)  # publishes while the auditor's file is open
    assert auditor.execute("SELECT DISTINCT run FROM events").fetchall() == run
    assert auditor.execute("SELECT count(*) FROM lines").fetchall() == count
    with open_readonly(home) as later:
        assert later.execute("SELECT DISTINCT run FROM events").fetchall() != run
    auditor.close()


def test_files_go_when_no_catalogue_within_the_retention_names_them(home: Path) -> None:
    settings = settings_of(home)
    warehouse = warehouse_of(home)
    first = run_day(settings, DAY, with_suites=False).folder
    second = run_day(settings, DAY, with_suites=False).folder
    week = timedelta(days=7)
    now = datetime.now(UTC)
    assert sweep(warehouse, week, now) == []
    assert sweep(warehouse, week, now + timedelta(days=6, hours=23)) == []
    assert [f.run for f in sweep(warehouse, week, now + timedelta(days=8))] == [first.run]
    assert not first.path.exists()
    assert second.path.exists()
    assert len(ask(home, "SELECT * FROM lines")) > 0


def test_a_lost_catalogue_is_built_again_from_the_days(tmp_path: Path) -> None:
    home = tmp_path / "home"
    simulated(home, DAY, rounds=3)
    simulated(home, DAY + timedelta(days=1), rounds=3)
    settings = settings_of(home)
    run_day(settings, DAY, with_suites=False)
    before = ask(home, "SELECT * FROM lines")
    warehouse_of(home).catalogue.unlink()
    run_day(settings, DAY + timedelta(days=1), with_suites=False)
    assert ask(home, "SELECT * FROM lines WHERE day = DATE '2026-03-10'") == before
    assert [p.day for p in published(warehouse_of(home))] == [DAY, DAY + timedelta(days=1)]


def test_a_damaged_catalogue_is_one_sentence(home: Path) -> None:
    run_day(settings_of(home), DAY, with_suites=False)
    warehouse_of(home).catalogue.write_bytes(b"not a database")
    with pytest.raises(WarehouseError, match=r"audit\.duckdb: the catalogue can't be read"):
        run_day(settings_of(home), DAY, with_suites=False)


REFUSED = {
    "SELECT * FROM read_text('/etc/hostname')": "disabled by configuration",
    "CREATE TABLE x AS SELECT 1": "read-only",
    "ATTACH 'other.duckdb'": "disabled by configuration",
    "SET enable_external_access = true": "locked",
    "DELETE FROM findings": "read-only",
}


@pytest.mark.parametrize(("sql", "why"), REFUSED.items())
def test_auditors_can_only_read_and_only_here(audited: Path, sql: str, why: str) -> None:
    with open_readonly(audited) as db, pytest.raises(duckdb.Error, match=why):
        db.execute(sql)


def test_no_warehouse_yet(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="there is no warehouse here yet"):
        open_readonly(tmp_path)
