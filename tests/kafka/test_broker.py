"""Starting and stopping the local broker, and every way in which that goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
from pathlib import Path

import pytest

from events.settings import load_settings
from pipelines.broker import BrokerError
from pipelines.broker.jars import find_jars, find_java
from pipelines.broker.server import Broker, free_port, new_cluster_id, some_broker
from tests.kafka.command import evenhand


def test_start_status_kill_start_stop(java: None, tmp_path: Path) -> None:
    """One long story, because each start of a broker takes seconds."""
    address = f"127.0.0.1:{free_port()}"
    broker = Broker(tmp_path / "kafka", address)

    assert evenhand(tmp_path, address, "kafka", "status").returncode == 1
    try:
        started = evenhand(tmp_path, address, "kafka", "start", "--json")
        assert started.returncode == 0, started.stderr
        assert json.loads(started.stdout)["pid"] == broker.pid()

        again = evenhand(tmp_path, address, "kafka", "start")
        assert "was running already" in again.stdout

        status = evenhand(tmp_path, address, "kafka", "status", "--json")
        found = json.loads(status.stdout)
        assert status.returncode == 0
        assert found["topic"] == "table.rounds"
        assert [p["lag"] for p in found["partitions"]] == [0] * 6

        os.kill(broker.pid() or 0, signal.SIGKILL)
        assert broker.start() is True
        same = json.loads(evenhand(tmp_path, address, "kafka", "status", "--json").stdout)
        assert same["identity"] == found["identity"]
    finally:
        stopped = evenhand(tmp_path, address, "kafka", "stop")
    assert "stopped" in stopped.stdout
    assert broker.pid() is None
    assert evenhand(tmp_path, address, "kafka", "status").returncode == 1
    assert evenhand(tmp_path, address, "kafka", "stop").returncode == 0


def test_a_cluster_id_never_looks_like_an_option() -> None:
    """One in 64 did, and Kafka's tool then refused to prepare the folder."""
    names = {new_cluster_id() for _ in range(2_000)}
    assert len(names) == 2_000
    assert {len(name) for name in names} == {22}
    assert not [name for name in names if name.startswith("-")]


def test_some_broker_stops_only_what_it_started(broker: Broker, tmp_path: Path) -> None:
    there = load_settings({"home": tmp_path, "kafka": broker.address}, environ={})
    with some_broker(there):
        assert Broker.of(there).pid() is None
    assert broker.pid() is not None

    alone = load_settings(
        {"home": tmp_path, "kafka": f"127.0.0.1:{free_port()}"}, environ={}, folder=tmp_path
    )
    with some_broker(alone):
        assert Broker.of(alone).pid() is not None
    assert Broker.of(alone).pid() is None


def test_a_stale_process_id_is_never_signalled(tmp_path: Path) -> None:
    """The id in the file belongs to this very test by now."""
    broker = Broker(tmp_path, "127.0.0.1:9092")
    broker.pid_file.write_text(str(os.getpid()))
    assert broker.pid() is None
    assert broker.stop() is False
    assert not broker.pid_file.exists()


@pytest.mark.parametrize("content", ["", "not a number", "999999999"])
def test_a_process_id_file_of_rubbish_counts_as_none(tmp_path: Path, content: str) -> None:
    broker = Broker(tmp_path, "127.0.0.1:9092")
    broker.pid_file.write_text(content)
    assert broker.pid() is None


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BrokerError, match=f"port {port} on 127.0.0.1 is taken"):
            Broker(tmp_path, f"127.0.0.1:{port}").start()


@pytest.mark.parametrize(
    "address", ["0.0.0.0:9092", "kafka.example:9092", "127.0.0.1:1,127.0.0.1:2"]
)
def test_only_loopback(tmp_path: Path, address: str) -> None:
    with pytest.raises(BrokerError, match="on this machine only"):
        Broker(tmp_path, address).start()


def test_a_broker_that_does_not_start_names_its_log(java: None, tmp_path: Path) -> None:
    broker = Broker(tmp_path / "kafka", f"127.0.0.1:{free_port()}")
    data = tmp_path / "kafka" / "data"
    data.mkdir(parents=True)
    (data / "meta.properties").write_text("version=99\n")
    with pytest.raises(BrokerError, match=r"see .*kafka\.log"):
        broker.start()
    assert broker.log_file.read_text()


def test_missing_java_and_maven_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrokerError, match="no java found on the PATH"):
        find_java()
    (tmp_path / "pom.xml").write_text("<project/>")
    with pytest.raises(BrokerError, match="no mvn found on the PATH"):
        find_jars(tmp_path / "pom.xml")


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(BrokerError, match="needs Java 17 or newer, found 11"):
        find_java()


def test_a_fetch_that_fails_leaves_nothing_that_looks_whole(tmp_path: Path) -> None:
    if shutil.which("mvn") is None:
        pytest.skip("no mvn found on the PATH")
    pom = tmp_path / "pom.xml"
    pom.write_text("<project>this is no pom</project>")
    with pytest.raises(BrokerError, match="Maven could not fetch the broker's jars"):
        find_jars(pom)
    assert list((tmp_path / ".cache").iterdir()) == []
