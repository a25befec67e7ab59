"""A period audited again by a process that Dagster started: examples/reaudit_by_pipes.py."""

from __future__ import annotations

import importlib.util
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import dagster as dg
import pytest
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
)

from tests.command import ROOT
from tests.pipelines.kit import DAY, ask, simulated

NEXT = DAY + timedelta(days=1)


def example() -> ModuleType:
    path = ROOT / "examples" / "reaudit_by_pipes.py"
    spec = importlib.util.spec_from_file_location("reaudit_by_pipes", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(first: str, last: str) -> dg.ExecuteInProcessResult:
    shown = example()
    tags = {ASSET_PARTITION_RANGE_START_TAG: first, ASSET_PARTITION_RANGE_END_TAG: last}
    with dg.DagsterInstance.ephemeral() as instance:
        return dg.materialize(
            [shown.reaudited_elsewhere],
            resources={"pipes": dg.PipesSubprocessClient()},
            instance=instance,
            tags=tags,
            raise_on_error=False,
        )


def test_the_process_tells_dagster_what_came_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two days with findings: one run, published together, its figures beside the asset."""
    home = tmp_path / "home"
    for day in (DAY, NEXT):
        simulated(home, day, rounds=2)
    monkeypatch.setenv("EVENHAND_HOME", str(home))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = run(str(DAY), str(NEXT))
    assert done.success
    told = done.asset_materializations_for_node("reaudited_elsewhere")
    assert {m.partition for m in told} == {str(DAY), str(NEXT)}
    metadata = {name: value.value for name, value in told[0].metadata.items()}
    (rounds,) = ask(home, "SELECT count(*) FROM rounds")
    assert metadata["days"] == 2
    assert metadata["rounds"] == rounds[0] > 0
    assert [day["day"] for day in metadata["day by day"]] == [str(DAY), str(NEXT)]
    assert ask(home, "SELECT count(*), count(DISTINCT published_at) FROM runs") == [(2, 1)]
    nothing = run("2026-02-01", "2026-02-02")
    assert not nothing.success, "a period of which the archive has nothing is a failed run"
