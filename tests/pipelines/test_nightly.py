"""`evenhand nightly` as its user types it, and what Dagster remembers of it."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

from events.gateway import Gateway
from events.runtime.workers import cores
from pipelines.ask.ready import ready_question
from pipelines.dagster_defs.home import open_instance
from pipelines.dagster_defs.sensors import stale_days
from pipelines.night.plain import run_day
from pipelines.warehouse.errors import BlockedError, DayBusyError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.locks import day_lock
from tests.command import evenhand
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
    won_round,
)
from tests.processes import workers


def test_a_clean_day_exits_0_and_dagster_remembers_the_run(tmp_path: Path) -> None:
    home = tmp_path / "home"
    sent(home, played([won_round(0), won_round(1)]))
    done = evenhand(tmp_path, "nightly", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "gaming day 2026-03-10: clean"
    assert "1 tables, 22 events, 2 rounds (2 settled)" in lines[1]
    assert lines[-1] == f"warehouse: {home}/warehouse/audit.duckdb"
    assert Path(lines[-2].removeprefix("report:    ")).exists()
    with open_instance(home) as instance:
        (run,) = instance.get_runs()
        assert run.status is dg.DagsterRunStatus.SUCCESS
        assert run.tags["dagster/partition"] == "2026-03-10"
        assert run.tags["evenhand/day"] == "2026-03-10"
        assert len(run.tags["evenhand/rulebook/pontoon-plus-rws-v5"]) == 12
        assert instance.get_latest_materialization_event(dg.AssetKey("warehouse")) is not None
    assert "enabled: false" in (home / "dagster" / "dagster.yaml").read_text("utf-8")


def test_open_findings_exit_1_and_json_stands_alone(tmp_path: Path) -> None:
    """One payment is wrong and one message came twice: a check fails that holds back no day."""
    home = tmp_path / "home"
    messages = played([won_round(0), won_round(1, winnings=3000)])
    sent(home, [*messages[:5], *messages[4:]])
    done = evenhand(tmp_path, "nightly", "--day", "2026-03-10", "--json", EVENHAND_HOME=str(home))
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["findings"]["open"] == 2
    assert found["findings"]["overpaid"] == 500
    assert found["rounds"]["settled"] == 2
    assert found["failed_checks"] == ["events: seq once per table"]
    alert = json.loads((home / "alerts.jsonl").read_text("utf-8"))
    assert alert["facts"]["money_cents"] == 500
    (failed,) = ask(home, ready_question("quality-failures").sql)
    day, suite, name, blocking, _, rows, examples = failed
    assert (day, suite, name) == (DAY, "events", "events: seq once per table")
    twice = f"{TABLE} {TABLE}-000002 event 5 2 times"
    assert (blocking, rows, examples) == (False, 1, [twice])


CLEAR = {
    ("--day", "yesterday"): "day: expected a date like 2026-11-15, found 'yesterday'",
    ("--day", "2126-01-01"): "day 2126-01-01: this gaming day has not begun yet",
    (): "there is no archive here; evenhand ingest makes one",
}


@pytest.mark.parametrize(("args", "says"), CLEAR.items())
def test_bad_input_is_one_sentence_and_exit_2(
    archived: Path, tmp_path: Path, args: tuple[str, ...], says: str
) -> None:
    home = archived if args else tmp_path / "empty"
    done = evenhand(tmp_path, "nightly", *args, EVENHAND_HOME=str(home))
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.startswith("evenhand: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_bad_configuration_is_refused_before_anything_runs(home: Path, tmp_path: Path) -> None:
    (home / "evenhand.toml").write_text('night_at = "25:00"\n')
    done = evenhand(tmp_path, "nightly", EVENHAND_HOME=str(home))
    assert done.returncode == 2
    assert "night_at: expected an hour and minute like 06:00" in done.stderr
    assert not (home / "warehouse").exists()


def test_a_second_run_of_the_same_day_is_refused(home: Path, tmp_path: Path) -> None:
    with day_lock(warehouse_of(home), DAY):
        with pytest.raises(DayBusyError):
            run_day(settings_of(home), DAY)
        day = DAY.isoformat()
        done = evenhand(tmp_path, "nightly", "--day", day, EVENHAND_HOME=str(home))
    assert done.returncode == 2
    assert "is already running this day; wait for it to end" in done.stderr
    assert done.stderr.count("\n") == 1
    told = json.loads((home / "alerts.jsonl").read_text("utf-8"))
    assert told["reason"] == "failed_run"


def test_a_blocking_check_keeps_the_day_from_being_published(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that loses lines on the way; what was published before stays."""
    from pipelines.dagster_defs.in_process import NightFailedError, run_nightly
    from pipelines.night import stages

    settings = settings_of(home)
    run_day(settings, DAY, with_suites=False)
    before = rows_of(home)
    whole = stages.audit_day

    def loses_lines(night: stages.Night, *args: object) -> object:
        done = whole(night)
        counts = night.state()["counts"]
        night.add(counts={"lines": counts["lines"] + 7})
        return done

    monkeypatch.setattr(stages, "audit_day", loses_lines)
    with pytest.raises(BlockedError, match="lines: derived and written: expected"):
        run_day(settings, DAY, with_suites=False)
    monkeypatch.setenv("EVENHAND_HOME", str(home))
    with pytest.raises(NightFailedError, match="the day is not published, because a check") as why:
        run_nightly(settings, DAY)
    assert "reconciliation: lines: derived and written: expected" in str(why.value)
    assert rows_of(home) == before
    with open_instance(home) as instance:
        assert instance.get_runs()[0].status is dg.DagsterRunStatus.FAILURE
        assert instance.get_latest_materialization_event(dg.AssetKey("report")) is None


def _kill_one_worker(killed: list[int], which: int, deadline: float) -> None:
    """A worker that the pool's server makes, as the kernel does for want of memory."""
    while not killed and time.monotonic() < deadline:
        killed += sorted(workers())[which : which + 1]
        time.sleep(0.002)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(cores() < 2, reason="with one core there are no workers to kill")
@pytest.mark.parametrize(("which", "step"), [(0, "data_quality"), (1, "replay_and_compare")])
def test_a_worker_that_is_killed_costs_a_second_attempt(
    home: Path, monkeypatch: pytest.MonkeyPatch, which: int, step: str
) -> None:
    """The first of them is the one of the suites, which is started early."""
    from pipelines.dagster_defs.in_process import run_nightly

    monkeypatch.setenv("EVENHAND_HOME", str(home))
    monkeypatch.setattr("pipelines.night.groups.LEAST_EVENTS", 1)  # several groups, so workers
    killed: list[int] = []
    killer = threading.Thread(target=_kill_one_worker, args=(killed, which, time.monotonic() + 120))
    killer.start()
    run_nightly(settings_of(home), DAY)
    killer.join()
    assert killed
    with open_instance(home) as instance:
        (run,) = instance.get_runs()
        assert run.status is dg.DagsterRunStatus.SUCCESS
        steps = instance.get_run_step_stats(run.run_id)
        assert {s.step_key: s.attempts for s in steps}[step] == 2
    assert ask(home, "SELECT count(*) FROM rounds WHERE status = 'settled'")[0][0] > 0


def test_late_events_make_a_published_day_stale_until_it_runs_again(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE)
    sent(home, played([won_round(0, winnings=3000)], gateway))
    assert stale_days(home) == [], "nothing is published yet"
    settings = settings_of(home)
    run_day(settings, DAY, with_suites=False)
    assert stale_days(home) == []
    (round_,) = ask(home, "SELECT round FROM rounds")[0]
    late = gateway.send(
        correction(), at=MORNING + timedelta(hours=1), device="console", round_=round_
    )
    sent(home, [late])
    assert stale_days(home) == [(DAY, "2")]
    run_day(settings, DAY, with_suites=False)
    assert stale_days(home) == []
    assert ask(home, "SELECT revision, current FROM runs ORDER BY run") == [(1, False), (2, True)]


def test_a_killed_run_is_called_dead_once_nobody_holds_its_day(home: Path) -> None:
    """Dagster waits for ever for a run whose process is gone, and the queue with it."""
    from pipelines.dagster_defs.dead_runs import bury_dead_runs
    from pipelines.dagster_defs.definitions import defs

    job = defs.resolve_job_def("nightly")
    with open_instance(home) as instance:
        started = instance.create_run_for_job(
            job,
            status=dg.DagsterRunStatus.STARTED,
            tags={"dagster/partition": DAY.isoformat()},
        )
        later = time.time() + 61
        assert bury_dead_runs(instance, home) == [], "it may not have come to its lock yet"
        with day_lock(warehouse_of(home), DAY):
            assert bury_dead_runs(instance, home, later) == [], "it is at work"
        assert bury_dead_runs(instance, home, later) == [started.run_id]
        assert instance.get_runs()[0].status is dg.DagsterRunStatus.FAILURE
        assert bury_dead_runs(instance, home, later) == []
