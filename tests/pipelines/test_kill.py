"""Kill -9 at every stage, and a full disk: what was published stays, and the next run completes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.dagster_defs.home import open_instance
from pipelines.night.plain import run_day
from pipelines.warehouse.layout import warehouse_of
from tests.command import ROOT, evenhand
from tests.pipelines.kit import DAY, ask, copied, rows_of, settings_of

STAGES = ("pin", "audit", "find", "check", "figure", "report")


def night(home: Path, *how: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    return subprocess.run(
        [sys.executable, "-m", "tests.pipelines.kill_driver", str(home), DAY.isoformat(), *how],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def state_of(home: Path) -> tuple[bytes, object]:
    """The catalogue's bytes, and all that it answers."""
    return warehouse_of(home).catalogue.read_bytes(), rows_of(home)


def test_a_kill_after_any_stage_leaves_what_was_published(audited: Path, tmp_path: Path) -> None:
    home = copied(audited, tmp_path / "home")
    run_day(settings_of(home), DAY, with_suites=False)  # the copy's own files, under its own paths
    published = state_of(home)
    for stage in STAGES:
        killed = night(home, "after", stage)
        assert killed.returncode == -9, (stage, killed.stderr)
        assert warehouse_of(home).catalogue.read_bytes() == published[0], stage
    assert rows_of(home) == published[1]
    runs = len(warehouse_of(home).run_folders())
    assert runs >= len(STAGES), "the dead runs left their folders"
    run_day(settings_of(home), DAY, with_suites=False)
    assert rows_of(home) == published[1]
    left = {f.run for f in warehouse_of(home).run_folders()}
    assert left == {run for (run,) in ask(home, "SELECT run FROM runs")}, "the dead are gone"


def test_a_kill_after_the_publication_leaves_the_new_state(home: Path) -> None:
    run_day(settings_of(home), DAY, with_suites=False)
    first = ask(home, "SELECT run FROM runs WHERE current")
    assert night(home, "after", "publish").returncode == -9
    second = ask(home, "SELECT run FROM runs WHERE current")
    assert len(second) == 1
    assert second != first
    assert ask(home, "SELECT DISTINCT run FROM lines") == second


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
def test_a_kill_at_any_moment(home: Path, seed: int) -> None:
    run_day(settings_of(home), DAY, with_suites=False)
    expected = rows_of(home)
    moments = random.Random(seed)
    for _ in range(5):
        us = moments.randrange(1, 4_000_000)
        assert night(home, "within", str(us)).returncode in {-9, 0}
        assert rows_of(home) == expected
    run_day(settings_of(home), DAY, with_suites=False)
    assert rows_of(home) == expected


def test_a_full_disk_is_one_sentence_and_publishes_nothing(home: Path) -> None:
    run_day(settings_of(home), DAY, with_suites=False)
    published = state_of(home)
    full = night(home, "limit", "40000")
    assert full.returncode == 1
    assert full.stderr.startswith("evenhand: ")
    assert "Traceback" not in full.stderr
    assert "can't be written" in full.stderr
    assert state_of(home) == published
    run_day(settings_of(home), DAY, with_suites=False)
    assert rows_of(home) == published[1]


def test_a_disk_too_full_for_dagsters_own_records_is_one_sentence(
    audited: Path, tmp_path: Path
) -> None:
    home = copied(audited, tmp_path / "home")
    published = state_of(home)
    with open_instance(home):
        pass
    grown = max(f.stat().st_size for f in (home / "dagster").rglob("*.db"))
    code = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({grown}, {grown})); "
        "from pipelines.cli.main import main; main()"
    )
    full = evenhand(tmp_path, "nightly", "--day", str(DAY), code=code, EVENHAND_HOME=str(home))
    assert full.returncode == 2, full.stdout
    assert "Dagster's records of the run can't be written" in full.stderr
    assert full.stderr.startswith("evenhand: ")
    assert full.stderr.count("\n") == 1
    assert state_of(home) == published
