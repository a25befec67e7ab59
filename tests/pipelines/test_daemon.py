"""The real daemon under `evenhand up`: the schedule and the sensor for late events really fire."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from events.gateway import Gateway
from events.log.files.log import FileLog
from pipelines.dagster_defs.home import open_instance
from pipelines.night.plain import run_day
from tests.command import ROOT
from tests.pipelines.kit import (
    DAY,
    MORNING,
    TABLE,
    ask,
    correction,
    played,
    sent,
    settings_of,
    simulated,
    won_round,
)

MARGINS_S = (15, 60, 180)
"""How far ahead the schedule's minute lies: the daemon must be there before it comes, and how long
that takes depends on the machine, so a longer one is tried where it was not."""
LONG_S = 300


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def up(home: Path, port: int, **env: str) -> Iterator[subprocess.Popen[str]]:
    base = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from pipelines.cli.main import main; main()",
            "up",
            "--port",
            str(port),
            "--desk-port",
            str(free_port()),
        ],
        cwd=home.parent,
        env=base | {"PYTHONPATH": str(ROOT), "EVENHAND_HOME": str(home)} | env,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(60)


@contextmanager
def scheduled_up(home: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Servers whose daemon knows the schedule before its minute comes."""
    for margin in MARGINS_S:
        soon = datetime.now(settings_of(home).timezone) + timedelta(seconds=margin)
        minute = soon.replace(second=0, microsecond=0) + timedelta(minutes=1)
        port = free_port()
        with up(home, port, EVENHAND_NIGHT_AT=f"{minute:%H:%M}") as process:
            with open_instance(home) as instance:
                until("the daemon", lambda: knows_schedule(instance))  # called here
            if datetime.now(minute.tzinfo) < minute:
                yield process, port
                return
    pytest.fail(f"the daemon took longer than {MARGINS_S[-1]} s to start")


def knows_schedule(instance: dg.DagsterInstance) -> bool:
    kinds = [s.instigator_type.value for s in instance.all_instigator_state()]
    return "SCHEDULE" in kinds


def until(what: str, found: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not found():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.5)


def test_the_schedule_and_the_sensor_fire_and_ctrl_c_stops_both(tmp_path: Path) -> None:
    home, gateway = tmp_path / "home", Gateway(TABLE)
    sent(home, played([won_round(0, winnings=3000)], gateway))
    run_day(settings_of(home), DAY, with_suites=False)
    (round_,) = ask(home, "SELECT round FROM rounds")[0]

    with scheduled_up(home) as (process, port), open_instance(home) as instance:

        def runs(tag: str) -> list[dg.DagsterRun]:
            return [r for r in instance.get_runs() if tag in r.tags]

        until("the schedule's run", lambda: bool(runs("dagster/schedule_name")))
        (scheduled,) = runs("dagster/schedule_name")
        over = settings_of(home).gaming_day.day_of(datetime.now(UTC)) - timedelta(days=1)
        assert scheduled.tags["dagster/partition"] == over.isoformat()

        at = MORNING + timedelta(hours=1)
        log = FileLog(home / "log", write=True)
        log.append([gateway.send(correction(), at=at, device="console", round_=round_)])
        log.close()  # the house's own ingest takes it in
        until("the sensor's run", lambda: bool(runs("dagster/sensor_name")))
        (late,) = runs("dagster/sensor_name")
        assert late.tags["dagster/sensor_name"] == "late_events"
        assert late.tags["dagster/partition"] == DAY.isoformat()
        until("both to end", lambda: all(r.is_finished for r in instance.get_runs()))
        assert {r.status for r in instance.get_runs()} == {dg.DagsterRunStatus.SUCCESS}
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/server_info", timeout=10) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert process.stderr is not None
    assert json.loads(process.stderr.read().splitlines()[-1])["event"] == "up.ended"
    assert ask(home, "SELECT kind FROM findings WHERE day = DATE '2026-03-10'") == [("corrected",)]
    assert ask(home, "SELECT count(*) FROM runs WHERE current") == [(2,)]


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with up(tmp_path / "home", taken.getsockname()[1]) as process:
            assert process.wait(60) == 2
    assert process.stderr is not None
    assert "is taken on this machine" in process.stderr.read()


@pytest.mark.soak
def test_a_backfill_runs_each_day_by_itself(tmp_path: Path) -> None:
    """Dagster's own backfill over two days, by the real daemon: one run and one state per day."""
    home = tmp_path / "home"
    days = [DAY, DAY + timedelta(days=1)]
    for day in days:
        simulated(home, day, rounds=3)
    with up(home, free_port()), open_instance(home) as instance:
        command = [sys.executable, "-m", "dagster", "job", "backfill", "-j", "nightly"]
        command += ["--partitions", ",".join(map(str, days)), "--noprompt"]
        env = os.environ | {"DAGSTER_HOME": str(home / "dagster"), "EVENHAND_HOME": str(home)}
        subprocess.run(
            [*command, "-m", "pipelines.dagster_defs.definitions"], env=env, cwd=ROOT, check=True
        )

        def runs() -> list[dg.DagsterRun]:
            return [r for r in instance.get_runs() if "dagster/backfill" in r.tags]

        until("two runs that end", lambda: [r.is_success for r in runs()] == [True, True])
    assert ask(home, "SELECT day FROM runs WHERE current ORDER BY day") == [(d,) for d in days]
