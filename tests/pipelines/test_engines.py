"""Engines: the same work, the same bytes, whether on this machine's processes or on Spark."""

from __future__ import annotations

import hashlib
import shutil
import site
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from events.errors import InputError
from events.runtime.workers import Tell
from pipelines.engines.base import EngineError, silent
from pipelines.engines.choose import engine_of
from pipelines.engines.code import PACKAGES, pack_code
from pipelines.engines.local import LocalEngine
from pipelines.engines.spark import SparkEngine, _way_to
from pipelines.night import stages
from pipelines.night.closing import close_all
from pipelines.night.context import Night, begin
from pipelines.night.groups import LEAST_GROUPS, MOST_EVENTS, cut
from pipelines.night.plain import run_day
from pipelines.night.reaudit import reaudit
from pipelines.night.work import audit_group
from pipelines.warehouse.chain import files_of
from pipelines.warehouse.held import check_published
from tests.command import ROOT, evenhand
from tests.pipelines.engine_work import double, kill_its_executor_once, refuse
from tests.pipelines.kit import DAY, ask, settings_of, simulated

CLUSTER = "local-cluster[2,1,1024]"
NEXT = DAY + timedelta(days=1)


@pytest.fixture(scope="module", autouse=True)
def spark_is_here() -> None:
    pytest.importorskip("pyspark", reason="Spark comes with uv sync --group heavy")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("days") / "home"
    for day in (DAY, NEXT):
        simulated(home, day, rounds=8)
        run_day(settings_of(home), day, with_suites=False)
    return home


def of_two(**more: str) -> SparkEngine:
    return SparkEngine(CLUSTER, config={"spark.executorEnv.PYTHONPATH": str(ROOT), **more})


def parts(home: Path, run: str) -> dict[str, str]:
    """The big files of a run by their hashes."""
    (folder,) = home.glob(f"warehouse/day=*/run={run}")
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.glob("*-*.parquet")}


def environment(folder: Path, *, libraries: bool) -> str:
    """A Python that has none of our code, and our libraries or not."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    if libraries:
        (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return str(folder / "bin" / "python")


def test_two_days_by_spark_are_the_bytes_of_two_days_here(
    two_days: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole command, on executors whose Python knows nothing of us: what they run is what the
    driver sends them. Audited and closed there, published together here."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    python = environment(tmp_path / "bare", libraries=True)
    looks = [python, "-c", "import pipelines.engines"]
    assert subprocess.run(looks, cwd=tmp_path, check=False, capture_output=True).returncode == 1
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    here = reaudit(settings_of(home), [DAY, NEXT], with_suites=False)
    words = ("reaudit", "--from", str(DAY), "--to", str(NEXT), "--engine", CLUSTER, "--json")
    done = evenhand(tmp_path, *words, EVENHAND_HOME=str(home), PYSPARK_PYTHON=python)
    assert done.returncode == 1, done.stderr
    assert "WARN" not in done.stderr
    current = dict(ask(home, "SELECT day, run FROM runs WHERE current"))
    for one in here.days:
        assert current[one.day] != one.run
        assert parts(home, current[one.day]) == parts(home, one.run)
        assert one.changes["gone"]["count"] == one.changes["new"]["count"] == 0
    published = ask(home, "SELECT DISTINCT published_at FROM runs WHERE current")
    assert len(published) == 1
    assert check_published(home).problems == []


def test_a_close_that_is_done_twice_is_taken_once(two_days: Path, tmp_path: Path) -> None:
    """Two closes differ in what they say of time; each works for itself, and the one that was
    answered counts, whatever the other still does."""
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    night = pinned(home)
    stages.audit_day(night)
    stages.go_on(night)
    engine = TwiceDone()
    (closed,) = close_all(engine, [night], with_suites=False)
    assert closed.attempt == engine.answers[-1].attempt
    assert not list(night.folder.path.glob(".*"))
    assert not [p for p in night.folder.path.iterdir() if p.is_symlink()]
    assert files_of(night.folder) == closed.listed
    stages.publish_day(night)
    sql = f"SELECT * EXCLUDE (run) FROM findings WHERE day = '{DAY}'"
    assert ask(home, sql) == ask(two_days, sql)


class TwiceDone(LocalEngine):
    """Every task is done a second time, and the second answer counts."""

    answers: ClassVar[list[Any]] = []

    def run(self, work: Callable[..., Any], tasks: Sequence[Any], told: Tell = silent) -> list[Any]:
        self.answers.extend(work(task, told) for task in [*tasks, *tasks])
        return self.answers[-len(tasks) :]


def test_what_our_work_says_comes_back_and_a_killed_executor_costs_nothing(tmp_path: Path) -> None:
    """Both on one cluster: `with` keeps it."""
    marker = str(tmp_path / "killed")
    tasks = [(marker, n) for n in range(4)]
    with of_two() as cluster:
        with pytest.raises(InputError, match="task 3: expected something else"):
            cluster.run(refuse, [3])
        assert cluster.run(kill_its_executor_once, tasks) == [0, 1, 2, 3]
    assert Path(marker).exists()


def test_an_executor_without_our_libraries_is_one_sentence(tmp_path: Path) -> None:
    python = environment(tmp_path / "bare", libraries=False)
    with pytest.raises(EngineError, match="the executors lack pyarrow"):
        SparkEngine(CLUSTER, python=python).run(double, [1])


def test_no_free_port_and_no_master_are_one_sentence_each() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with pytest.raises(EngineError, match=r"BindException|Address already in use"):
            of_two(**{"spark.driver.port": port, "spark.port.maxRetries": "0"}).run(double, [1])
        assert _way_to(f"spark://127.0.0.1:{port}") == "127.0.0.1", "where executors call back"
    with pytest.raises(EngineError, match="no Spark answers there"):
        engine_of("spark://127.0.0.1:1").run(double, [1])
    with pytest.raises(EngineError, match="no Spark answers there"):
        engine_of("sc://127.0.0.1:1").run(double, [1])


def pinned(home: Path) -> Night:
    night = begin(settings_of(home), DAY, "attempts")
    stages.pin_day(night)
    return night


def test_a_second_attempt_of_an_answered_group_disturbs_nobody(
    two_days: Path, tmp_path: Path
) -> None:
    """The same bytes take their own place, and whoever reads the first goes on reading."""
    home = tmp_path / "home"
    shutil.copytree(two_days, home)
    night = pinned(home)
    (task,) = stages.tasks_of(night)
    first = audit_group(task)
    path = night.folder.part("lines", 0)
    with path.open("rb") as reading:
        head = reading.read(100)
        second = audit_group(task)
        rest = reading.read()
    assert first.files == second.files
    assert hashlib.sha256(head + rest).hexdigest() == first.files[path.name]
    assert not list(night.folder.path.glob(".*"))


def test_local_answers_come_in_the_order_of_the_tasks() -> None:
    assert LocalEngine(2).run(double, [3, 1, 2]) == [6, 2, 4]
    assert LocalEngine(1).run(double, [3, 1, 2]) == [6, 2, 4]


def test_a_day_is_cut_by_its_events_alone() -> None:
    casino = {f"T-{n:03d}": 48_000 for n in range(500)}
    groups = cut(casino)
    assert max(g.events for g in groups) <= MOST_EVENTS
    assert len(groups) >= LEAST_GROUPS
    assert [t for g in groups for t, _ in g.tables] == sorted(casino)
    small = cut({f"T-{n}": 40_000 for n in range(16)})
    assert len(small) == LEAST_GROUPS
    uneven = cut({"T-00": 2_000_000, **{f"T-{n:02d}": 40_000 for n in range(1, 16)}})
    assert len(uneven) >= LEAST_GROUPS, "a busy table must not take the others along"


def test_what_travels_is_source_and_data_and_nothing_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An extension module would win over its source, and may be of another day or machine."""
    root = tmp_path / "code"
    for name in PACKAGES:
        (root / name / "deep").mkdir(parents=True)
        for file in ("__init__.py", "deep/fold.py", "deep/fold.cpython-311-x86_64-linux-gnu.so"):
            (root / name / file).touch()
        (root / name / "deep" / "event.avsc").write_text("{}")
    monkeypatch.setattr("pipelines.__file__", str(root / "pipelines" / "__init__.py"))
    with zipfile.ZipFile(pack_code(tmp_path / "code.zip")) as packed:
        own = sorted(name for name in packed.namelist() if name.startswith("replay/"))
    assert own == ["replay/__init__.py", "replay/deep/event.avsc", "replay/deep/fold.py"]


def test_an_unknown_engine_is_one_sentence(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "nightly", "--engine", "dask", EVENHAND_HOME=str(tmp_path / "h"))
    assert done.returncode == 2
    assert "expected local, spark://HOST:PORT" in done.stderr
    assert "Traceback" not in done.stderr
