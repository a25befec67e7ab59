"""What was published, and who published it: a result that somebody changed is told apart."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from pipelines.night.plain import run_day
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, ask, copied, settings_of, simulated


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house whose day is published; only look at it."""
    home = tmp_path_factory.mktemp("published") / ".evenhand"
    home.mkdir()
    simulated(home, rounds=6, faults=0.2)
    run_day(settings_of(home), DAY, with_suites=False)
    return home


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    return copied(template, tmp_path / ".evenhand")


def delete_findings(home: Path) -> None:
    """With DuckDB's own tools, as whoever owns the file can."""
    path = home / "warehouse" / "audit.duckdb"
    path.chmod(0o640)
    with duckdb.connect(str(path)) as db:
        db.execute("DELETE FROM findings")


def test_findings_deleted_from_the_catalogue(home: Path, tmp_path: Path) -> None:
    assert ask(home, "SELECT count(*) FROM findings") != [(0,)]
    assert evenhand_here(home.parent, "verify").returncode == 0
    delete_findings(home)
    verified = evenhand_here(home.parent, "verify")
    assert verified.returncode == 1
    assert "audit.duckdb" in verified.stdout
    exported = evenhand_here(
        home.parent, "export", "--from", str(DAY), "--to", str(DAY), "-o", str(tmp_path / "out")
    )
    assert exported.returncode == 2
    assert "audit.duckdb" in exported.stderr
    assert not (tmp_path / "out").exists()
    asked = evenhand_here(home.parent, "sql", "SELECT count(*) AS n FROM findings")
    assert asked.returncode == 0
    assert "audit.duckdb" in asked.stderr
    shown = evenhand_here(home.parent, "show", "RWS-PP-01-20260310-000001")
    assert "audit.duckdb" in shown.stderr
