"""An engine whose machines see nothing of the house but an object store.

Here the store is a folder, by the same calls of Arrow's, and the machine this process with tasks
that name no folder of the house; `-m soak` does the same on a real S3 server and Spark.
"""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from events.objects import ObjectStore, ObjectStoreError
from events.runtime.workers import Tell
from pipelines.engines.base import silent
from pipelines.engines.local import LocalEngine
from pipelines.night import far, stages
from pipelines.night.context import Night, begin
from pipelines.night.far import FarTask, audit_all
from pipelines.night.plain import run_day
from pipelines.night.reaudit import reaudit
from pipelines.night.work import audit_group
from tests.command import evenhand
from tests.pipelines.kit import DAY, TABLE, ask, sent, settings_of, simulated
from tests.pipelines.s3_server import KEYS, s3_server
from tests.pipelines.test_engines import CLUSTER, parts

NOWHERE = Path("/nowhere/that/exists")
NEXT = DAY + timedelta(days=1)


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("days") / "home"
    for day in (DAY, NEXT):
        simulated(home, day, rounds=8)
        run_day(settings_of(home), day, with_suites=False)
    return home


class FarAway(LocalEngine):
    """A machine of its own: tasks come as bytes, and no folder of the house is there."""

    def run(self, work: Callable[..., Any], tasks: Sequence[Any], told: Tell = silent) -> list[Any]:
        return [work(pickle.loads(pickle.dumps(self._blind(task))), told) for task in tasks]

    def _blind(self, task: FarTask) -> FarTask:
        own = replace(
            task.task,
            folder=replace(task.task.folder, path=NOWHERE),
            archive=NOWHERE,
            tables=NOWHERE,
        )
        return replace(task, task=own)


@pytest.fixture
def home(two_days: Path, tmp_path: Path) -> Path:
    shutil.copytree(two_days, tmp_path / "home")
    return tmp_path / "home"


def pinned(home: Path, run: str) -> Night:
    store = f"file://{home.parent}/store"
    night = begin(settings_of(home, engine=CLUSTER, object_store=store), NEXT, run)
    stages.pin_day(night)
    return night


def given(night: Night) -> list[tuple[Night, Any]]:
    return [(night, task) for task in stages.tasks_of(night)]


def test_a_group_audited_far_away_is_the_bytes_of_one_audited_here(home: Path) -> None:
    night, here = pinned(home, "far"), pinned(home, "here")
    store = ObjectStore(night.settings.object_store)
    done = audit_all(FarAway(), given(night))
    expected = [audit_group(task) for task in stages.tasks_of(here)]
    assert [one.files for one in done] == [one.files for one in expected]
    assert parts(home, night.folder.run) == parts(home, here.folder.run)
    assert set(night.state()["pinned"]["columns"]) <= set(store.sizes("archive"))
    assert not store.sizes("jobs"), "what only the job needed is gone"
    assert {Path(key).name for key in store.sizes("runs")} == set(done[0].files)


def test_columns_are_put_there_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit_all(FarAway(), given(pinned(home, "first")))
    told = []
    put = ObjectStore.put
    monkeypatch.setattr(
        ObjectStore, "put", lambda s, key, path: (told.append(key), put(s, key, path))[1]
    )
    audit_all(FarAway(), given(pinned(home, "second")))
    assert told
    assert not [key for key in told if key.startswith("archive/")]


def test_a_pinned_day_is_a_list_of_keys_that_late_events_do_not_touch(home: Path) -> None:
    """The archive writes other files once something came late; the run goes on with its own."""
    night, here = pinned(home, "far"), pinned(home, "here")
    keys = night.state()["pinned"]["columns"]
    simulated(home, NEXT + timedelta(days=1), rounds=2)
    late_event(home)
    assert pinned(home, "later").state()["pinned"]["columns"] != keys
    audit_all(FarAway(), given(night))
    for task in stages.tasks_of(here):
        audit_group(task)
    assert parts(home, night.folder.run) == parts(home, here.folder.run)


def late_event(home: Path) -> None:
    """A table that nobody had heard of says something on that day."""
    from events.gateway import Gateway
    from events.model import TableClosed
    from tests.pipelines.kit import MORNING

    at = MORNING + timedelta(days=1, hours=3)
    gateway = Gateway(f"{TABLE}-LATE")
    sent(home, [gateway.send(TableClosed(), at=at, device="console")])


def test_an_object_that_is_gone_is_one_sentence(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = pinned(home, "far")
    bring = far.audit_far

    def lost(task: FarTask, tell: Tell = silent) -> Any:
        ObjectStore(night.settings.object_store).drop(task.pinned[0])
        return bring(task, tell)

    monkeypatch.setattr(far, "audit_far", lost)
    with pytest.raises(ObjectStoreError, match=r"columns-.*missing; the house's machine has"):
        audit_all(FarAway(), given(night))


def test_a_store_that_is_none_is_one_sentence(home: Path, tmp_path: Path) -> None:
    words = ("reaudit", "--from", str(DAY), "--to", str(DAY), "--engine", "spark://127.0.0.1:1")
    env = {"EVENHAND_HOME": str(home), "EVENHAND_OBJECT_STORE": "bucket/prefix"}
    done = evenhand(tmp_path, *words, **env)
    assert done.returncode == 2
    assert "expected s3://BUCKET/PREFIX or the like, found" in done.stderr


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_reaudit_and_what_if_through_a_real_s3_server(home: Path, tmp_path: Path) -> None:
    """The whole commands on Spark: columns read from S3 and parts written to it, by executors."""
    here = reaudit(settings_of(home), [DAY, NEXT], with_suites=False)
    period = ("--from", str(DAY), "--to", str(NEXT))
    other = ("what-if", "--rulebook", "pontoon-mbs-v5", "--of", "pontoon-plus-rws-v5", *period)
    told = json.loads(evenhand(tmp_path, *other, "--json", EVENHAND_HOME=str(home)).stdout)
    with s3_server(tmp_path) as address:
        env = KEYS | {"EVENHAND_HOME": str(home), "EVENHAND_OBJECT_STORE": address}
        words = ("reaudit", *period, "--engine", CLUSTER, "--json")
        refused = evenhand(tmp_path, *words, **(env | {"AWS_SECRET_ACCESS_KEY": "another"}))
        assert refused.returncode == 2
        assert "look at the address and at the credentials" in refused.stderr
        done = evenhand(tmp_path, *words, **env)
        assert done.returncode == 1, done.stderr
        there = evenhand(tmp_path, *other, "--engine", CLUSTER, "--json", **env)
        assert there.returncode == 0, there.stderr
        in_a_lake(tmp_path, home, address, env)
    assert told["rounds_changed"] > 0
    assert json.loads(there.stdout) == told
    current = dict(ask(home, "SELECT day, run FROM runs WHERE current"))
    for one in here.days:
        assert current[one.day] != one.run
        assert parts(home, current[one.day]) == parts(home, one.run)
    objects = {p.name for p in (tmp_path / "objects").rglob("*.parquet")}
    assert {"lines-000.parquet", "rounds-000.parquet"} <= objects
    gone = evenhand(tmp_path, *words, **env)
    assert gone.returncode == 2
    assert "look at the address and at the credentials" in gone.stderr


def in_a_lake(folder: Path, home: Path, address: str, env: dict[str, str]) -> None:
    """The files of the run are Iceberg's where they lie in S3, and read there."""
    catalog = pytest.importorskip("pyiceberg.catalog")
    endpoint = address.partition("endpoint_override=")[2].partition("&")[0]
    at = {"s3.endpoint": f"http://{endpoint}", "s3.region": "us-east-1"}
    named = {
        f"PYICEBERG_CATALOG__EVENHAND__{name.upper().replace('.', '__')}": value
        for name, value in at.items()
    }
    where = f"sqlite:///{folder}/catalogue.db"
    done = evenhand(folder, "lake", where, "lake", **env, **named)
    assert done.returncode == 0, done.stderr
    keys = {"s3.access-key-id": KEYS["AWS_ACCESS_KEY_ID"]}
    keys |= {"s3.secret-access-key": KEYS["AWS_SECRET_ACCESS_KEY"]}
    opened = catalog.load_catalog("evenhand", uri=where, warehouse=f"{folder}/lake", **at, **keys)
    rows = opened.load_table("evenhand.rounds").scan()
    assert all(t.file.file_path.startswith("s3://house/evenhand/runs/") for t in rows.plan_files())
    assert [(rows.to_arrow().num_rows,)] == ask(home, "SELECT count(*) FROM rounds")
