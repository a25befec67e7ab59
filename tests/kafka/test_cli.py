"""`evenhand ingest --from kafka` and `evenhand kafka status`, as a user runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from events.log.kafka.log import KafkaLog
from pipelines.broker.server import Broker, free_port
from tests.kafka import auditor
from tests.kafka.command import evenhand, start
from tests.kafka.tables import traffic


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not happened():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def test_status_shows_the_lag_before_and_after(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    def lag() -> list[int]:
        shown = evenhand(tmp_path, broker.address, "kafka", "status", "--json", topic=log.topic)
        return [p["lag"] for p in json.loads(shown.stdout)["partitions"]]

    log.append(traffic(200))
    assert sum(lag()) == 200
    taken = evenhand(tmp_path, broker.address, "ingest", "--from", "kafka", topic=log.topic)
    assert taken.returncode == 0
    assert taken.stdout == ""
    assert "200 events, 28 rounds, 1 day, 0 quarantined" in taken.stderr
    assert lag() == [0] * 6


def test_a_second_ingest_is_refused_while_the_first_follows_and_a_signal_ends_it(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    first = start(
        tmp_path, broker.address, "ingest", "--from", "kafka", "--follow", topic=log.topic
    )
    log.append(traffic(20))
    wait_until(lambda: auditor.taken(tmp_path / "archive") == 20, first)

    second = evenhand(tmp_path, broker.address, "ingest", "--from", "kafka", topic=log.topic)
    assert second.returncode == 2
    assert f"process {first.pid} is already taking a log into this archive" in second.stderr

    first.send_signal(signal.SIGTERM)
    _, said = first.communicate(timeout=60)
    assert first.returncode == 0
    assert json.loads(said.splitlines()[-1])["events"] == 20


def test_a_missing_broker_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    found = evenhand(tmp_path, f"127.0.0.1:{free_port()}", "ingest", "--from", "kafka")
    assert found.returncode == 2
    assert found.stderr.startswith("evenhand: no Kafka broker answers at 127.0.0.1:")
    assert found.stderr.count("\n") == 1


def test_the_demo_goes_through_the_broker_and_never_among_real_events(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    """In the home in which `evenhand kafka start` has put the broker's own folder."""
    log.append(traffic(1))
    (tmp_path / "kafka").mkdir()
    done = evenhand(tmp_path, broker.address, "demo", "--kafka", topic=log.topic)
    assert done.returncode == 0, done.stderr
    assert f"sent to the log: topic {log.topic}.demo-2 at {broker.address}" in done.stdout
    assert "where to look next:" in done.stdout
