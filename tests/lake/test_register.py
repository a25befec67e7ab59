"""A lakehouse reads the published rows through Iceberg: a real catalogue in SQLite, real files."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from events.gateway import Gateway
from pipelines.lake.register import LakeError, register
from pipelines.lake.tables import lake_schemas
from pipelines.night.plain import run_day
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, MORNING, TABLE, ask, played, sent, settings_of, won_round

pytest.importorskip("pyiceberg", reason="PyIceberg comes with uv sync --group heavy")

GATEWAY = Gateway(TABLE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rounds at one table, the second paid 5.00 too much."""
    home = tmp_path_factory.mktemp("lake") / "home"
    sent(home, played([won_round(0), won_round(1, winnings=3000)], GATEWAY))
    run_day(settings_of(home), DAY, with_suites=False)
    return home


def catalogue(folder: Path) -> Any:
    from pyiceberg.catalog import load_catalog

    return load_catalog("evenhand", uri=address(folder), warehouse=str(folder / "lake"))


def address(folder: Path) -> str:
    return f"sqlite:///{folder}/catalogue.db"


def rows(folder: Path, table: str) -> list[tuple[Any, ...]]:
    found = catalogue(folder).load_table(f"evenhand.{table}").scan().to_arrow()
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        return db.from_arrow(found).order("ALL").fetchall()


def test_the_same_rows_once_and_a_new_run_takes_the_place_of_the_old(
    home: Path, tmp_path: Path
) -> None:
    words = ("lake", address(tmp_path), "lake", "--day", str(DAY))
    first = evenhand_here(tmp_path, *words, EVENHAND_HOME=str(home))
    assert first.returncode == 0, first.stderr
    assert "evenhand.rounds 1" in first.stdout
    for table in lake_schemas():
        sql = f"SELECT * EXCLUDE (run) FROM {table} ORDER BY ALL"
        assert rows(tmp_path, table) == ask(home, sql), table
    assert len(rows(tmp_path, "rounds")) == 2
    lines = catalogue(tmp_path).load_table("evenhand.lines")
    assert lines.location() == str(tmp_path / "lake" / "evenhand" / "lines")
    assert "in cents" in lines.schema().find_field("stake").doc

    again = evenhand_here(tmp_path, *words, EVENHAND_HOME=str(home))
    assert again.stdout == f"{DAY}: is there already\n"
    assert len(catalogue(tmp_path).load_table("evenhand.rounds").history()) == 1

    sent(home, played([won_round(2)], GATEWAY, MORNING + timedelta(hours=1)))
    run_day(settings_of(home), DAY, with_suites=False)
    (done,) = register(home, address(tmp_path), str(tmp_path / "lake"))
    assert done.files["rounds"] == 1
    table = catalogue(tmp_path).load_table("evenhand.rounds")
    (task,) = table.scan().plan_files()
    assert f"run={done.run}/" in task.file.file_path
    assert table.current_snapshot().summary["evenhand.run"] == done.run
    assert len(rows(tmp_path, "rounds")) == 3
    sql = "SELECT * EXCLUDE (run) FROM lines ORDER BY ALL"
    assert rows(tmp_path, "lines") == ask(home, sql)


def test_files_are_named_in_the_object_store_where_there_is_one(home: Path, tmp_path: Path) -> None:
    """Put there once; the rows are those of the catalogue."""
    words = ("lake", address(tmp_path), "lake", "--day", str(DAY))
    env = {"EVENHAND_HOME": str(home), "EVENHAND_OBJECT_STORE": f"file://{tmp_path}/store"}
    done = evenhand_here(tmp_path, *words, **env)
    assert done.returncode == 0, done.stderr
    for table in ("rounds", "findings"):
        (task,) = catalogue(tmp_path).load_table(f"evenhand.{table}").scan().plan_files()
        assert task.file.file_path.startswith(f"file://{tmp_path}/store/runs/day={DAY}/run=")
        sql = f"SELECT * EXCLUDE (run) FROM {table} ORDER BY ALL"
        assert rows(tmp_path, table) == ask(home, sql)
    again = evenhand_here(tmp_path, *words, **env)
    assert again.stdout == f"{DAY}: is there already\n"


def test_what_is_wrong_is_one_sentence(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LakeError, match="day 2020-01-01: it is not published"):
        register(home, address(tmp_path), str(tmp_path), DAY.replace(2020, 1, 1))
    with pytest.raises(LakeError, match=r"nothing-there: the Iceberg catalogue: Could not infer"):
        register(home, "nothing-there", str(tmp_path))
    with pytest.raises(LakeError, match="unable to open database file"):
        register(home, f"sqlite:///{tmp_path}/no/folder/c.db", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pyiceberg.catalog", None)
    with pytest.raises(LakeError, match=r"not installed; uv sync --extra lake"):
        register(home, address(tmp_path), str(tmp_path))
