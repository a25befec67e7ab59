"""Clusters as houses have them: a standalone master with two nodes, a Connect server, a node that
goes down, a year in one job. Minutes each, so they stand behind `-m soak`."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest

from pipelines.engines.base import EngineError
from pipelines.engines.spark import SparkEngine
from pipelines.night import stages
from pipelines.night.plain import run_day
from pipelines.night.reaudit import reaudit
from pipelines.night.work import audit_group
from pipelines.warehouse.held import check_published
from tests.command import ROOT, evenhand
from tests.pipelines.engine_work import audit_in_a_node_that_dies
from tests.pipelines.kit import DAY, ask, settings_of, simulated
from tests.pipelines.spark_cluster import connect_server, end, standalone
from tests.pipelines.test_engines import CLUSTER, NEXT, environment, parts, pinned

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]
YEAR = 365


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("days") / "home"
    for day in (DAY, NEXT):
        simulated(home, day, rounds=8)
        run_day(settings_of(home), day, with_suites=False)
    return home


def same_as_here(home: Path, folder: Path, engine: str, **env: str) -> None:
    """Two days audited again, and tried under another reading, by an engine and by this machine."""
    here = reaudit(settings_of(home), [DAY, NEXT], with_suites=False)
    period = ("--from", str(DAY), "--to", str(NEXT))
    env |= {"EVENHAND_HOME": str(home)}
    done = evenhand(folder, "reaudit", *period, "--engine", engine, "--json", **env)
    assert done.returncode == 1, done.stderr
    current = dict(ask(home, "SELECT day, run FROM runs WHERE current"))
    for one in here.days:
        assert current[one.day] != one.run
        assert parts(home, current[one.day]) == parts(home, one.run)
    assert check_published(home).problems == []
    other = ("what-if", "--rulebook", "pontoon-mbs-v5", "--of", "pontoon-plus-rws-v5", *period)
    there = evenhand(folder, *other, "--engine", engine, "--json", **env)
    assert there.returncode == 0, there.stderr
    told = json.loads(there.stdout)
    assert told["rounds_changed"] > 0
    assert told == json.loads(evenhand(folder, *other, "--json", **env).stdout)
    assert not list(home.glob(".what-if-*"))


def test_a_standalone_cluster_gives_the_bytes_of_this_machine(
    two_days: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its nodes' Python has our libraries and nothing of our code."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    python = environment(tmp_path / "bare", libraries=True)
    with standalone(tmp_path) as cluster:
        same_as_here(home, tmp_path, cluster.address, PYSPARK_PYTHON=python)


def test_connect_gives_the_bytes_of_this_machine(
    two_days: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver runs in the server; code and tasks go to it over the wire."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    python = environment(tmp_path / "bare", libraries=True)
    with connect_server(tmp_path, CLUSTER, python) as address:
        same_as_here(home, tmp_path, address)


def test_executors_of_another_python_are_one_sentence(tmp_path: Path) -> None:
    """Theirs says that it is an older one; it is not asked to do anything."""
    python = environment(tmp_path / "older", libraries=True)
    (packages,) = (tmp_path / "older").glob("lib/python*/site-packages")
    (packages / "older.py").write_text(
        "import collections, sys\n"
        "names = 'major minor micro releaselevel serial'\n"
        "sys.version_info = collections.namedtuple('v', names)(3, 10, 0, 'final', 0)\n"
    )
    (packages / "older.pth").write_text("import older\n")
    marker = tmp_path / "who"
    engine = SparkEngine(CLUSTER, python, {"spark.executorEnv.PYTHONPATH": str(ROOT)})
    with pytest.raises(EngineError, match=r"Python.*set PYSPARK_PYTHON to one that fits"):
        engine.run(audit_in_a_node_that_dies, [(str(marker), None)])
    assert not marker.exists()


def test_a_node_that_goes_down_costs_time_and_nothing_else(two_days: Path, tmp_path: Path) -> None:
    """A worker, its executor and its Python die while they audit a group; the other node does it
    again, to the same bytes."""
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    night, here = pinned(home), pinned(home)
    marker = tmp_path / "who"
    tasks = [(str(marker), task) for task in stages.tasks_of(night)] * 3
    with standalone(tmp_path) as cluster:
        power = threading.Thread(target=lambda: end(cluster.node_of(_named_in(marker))))
        power.start()
        code = {"spark.executorEnv.PYTHONPATH": str(ROOT)}
        engine = SparkEngine(cluster.address, sys.executable, code)
        done = engine.run(audit_in_a_node_that_dies, tasks)
        power.join()
        assert [node.poll() is None for node in cluster.nodes].count(False) == 1
    expected = [audit_group(task) for task in stages.tasks_of(here)]
    assert [one.files for one in done] == [one.files for one in expected] * 3
    assert parts(home, night.folder.run) == parts(home, here.folder.run)


def _named_in(marker: Path) -> int:
    until = time.monotonic() + 300
    while not (marker.exists() and marker.read_text()):
        assert time.monotonic() < until, "no task was begun"
        time.sleep(0.1)
    return int(marker.read_text())


def test_a_year_of_small_days_is_one_job(tmp_path: Path) -> None:
    """365 days, none of them published before: audited, closed and published together."""
    home = tmp_path / "home"
    days = [DAY - timedelta(days=n) for n in reversed(range(YEAR))]
    for day in days:
        simulated(home, day, rounds=1)
    period = ("--from", str(days[0]), "--to", str(days[-1]))
    done = evenhand(
        tmp_path, "reaudit", *period, "--engine", CLUSTER, "--json", EVENHAND_HOME=str(home)
    )
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)
    assert len(told["days"]) == YEAR
    assert ask(home, "SELECT count(*), count(DISTINCT published_at) FROM runs WHERE current") == [
        (YEAR, 1)
    ]
    assert ask(home, "SELECT count(*) FROM rounds") == [(told["rounds"],)]
    assert check_published(home).problems == []
