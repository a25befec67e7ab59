"""The watcher on a real broker: killed -9 while tables play, the broker restarted under it."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from events.archive.reader import Archive
from events.devices.deliver import deliver
from events.devices.floor import default_floor
from events.log.base import Outgoing
from events.log.files.log import FileLog
from events.log.kafka.log import KafkaLog
from pipelines.broker.server import Broker
from pipelines.cli.simulate import order_of
from pipelines.night.plain import run_day
from pipelines.watch.outbox import outbox_file
from tests.kafka.command import evenhand, start
from tests.pipelines.kit import DAY, settings_of
from tests.watch.kit import Heard, as_night, of_night

WORK_S = 120.0
STEP_S = 0.1
IDLE_STEPS = 300


def traffic(home: Path, tables: int, rounds: int, faults: float) -> list[Outgoing]:
    """What a simulated floor sends, tables side by side as on a floor."""
    order = order_of(
        settings_of(home),
        tables=tables,
        day=DAY,
        seed=7,
        rounds=rounds,
        irregularities=0.05,
        faults=faults,
    )
    log = FileLog(home / "played", write=True)
    try:
        deliver(order, default_floor(), log)
        by_table: dict[bytes, list[bytes]] = {}
        for message in log.read({}):
            by_table.setdefault(message.key or b"", []).append(message.value)
    finally:
        log.close()
    out = []
    while any(by_table.values()):
        for key, values in by_table.items():
            out += [Outgoing(key, value) for value in values[:3]]
            del values[:3]
    return out


def play(log: KafkaLog, sent: list[Outgoing], pause_s: float) -> None:
    for first in range(0, len(sent), 100):
        while True:
            try:
                log.append(sent[first : first + 100])
                break
            except Exception:  # noqa: BLE001 - the broker is being restarted; a gateway goes on
                time.sleep(0.5)
        time.sleep(pause_s)


def told_until(home: Path) -> list[tuple[int, int]]:
    """Up to which messages the watcher has told, as its outbox says."""
    path = outbox_file(home, "watch")
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=10)) as db:
        try:
            return db.execute("SELECT partition, next FROM positions ORDER BY 1").fetchall()
        except sqlite3.OperationalError:  # it is just being made
            return []


def kill_at_work(watch: subprocess.Popen[str], home: Path, when: float) -> None:
    """SIGKILL a while after it has got further than the one before; an idle one all the same."""
    before, waited = told_until(home), 0
    while told_until(home) == before and waited < IDLE_STEPS and watch.poll() is None:
        time.sleep(STEP_S)
        waited += 1
    time.sleep(when)
    watch.send_signal(signal.SIGKILL)


def campaign(
    broker: Broker, log: KafkaLog, home: Path, sent: list[Outgoing], kills: int, restarts: int
) -> Heard:
    """Tables play while watchers are killed; what all of them printed together."""
    heard, rng = Heard(), random.Random(5)
    player = threading.Thread(target=play, args=(log, sent, kills * 1.5 / (len(sent) / 100)))
    player.start()
    at_restart = {kills * (n + 1) // (restarts + 1) for n in range(restarts)}
    for n in range(kills):
        watch = start(home, broker.address, "watch", "--from", "kafka", "--json", topic=log.topic)
        args = (watch, home, rng.random())
        killer = threading.Thread(target=kill_at_work, args=args)
        killer.start()
        out, _ = watch.communicate()
        killer.join()
        whole, _, _ = out.rpartition("\n")
        heard.lines(whole)
        if n in at_restart:
            broker.stop()
            broker.start()
    player.join(WORK_S)
    last = evenhand(
        home, broker.address, "watch", "--from", "kafka", "--json", "--once", topic=log.topic
    )
    assert last.returncode == 0, last.stderr
    heard.lines(last.stdout)
    return heard


def night_of(home: Path, broker: Broker, topic: str) -> dict[str, tuple[str, str, str | None]]:
    """What the night finds in the same topic."""
    taken = evenhand(home, broker.address, "ingest", "--from", "kafka", topic=topic)
    assert taken.returncode == 0, taken.stderr
    with Archive(home / "archive") as archive:
        days = archive.days()
    for day in days:
        run_day(settings_of(home), day, with_suites=False)
    return of_night(home)


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """How much of everything."""

    tables: int
    rounds: int
    kills: int
    restarts: int


def check(broker: Broker, log: KafkaLog, tmp_path: Path, plan: WatchPlan) -> None:
    home = tmp_path / "home"
    home.mkdir()
    sent = traffic(tmp_path, plan.tables, plan.rounds, 0.5)
    heard = campaign(broker, log, home, sent, plan.kills, plan.restarts)
    night = night_of(home, broker, log.topic)
    assert as_night(heard.stands) == night
    assert len(night) > plan.rounds / 4


def test_what_killed_watchers_printed_is_what_the_night_finds(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    check(broker, log, tmp_path, WatchPlan(tables=5, rounds=12, kills=2, restarts=1))


@pytest.mark.soak
def test_ten_thousand_rounds_and_fifty_kills(broker: Broker, log: KafkaLog, tmp_path: Path) -> None:
    check(broker, log, tmp_path, WatchPlan(tables=20, rounds=500, kills=50, restarts=5))
