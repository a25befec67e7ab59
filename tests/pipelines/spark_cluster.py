"""Spark's own servers on loopback, from the jars of the pyspark package: a standalone master with
workers, a Connect server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

LOOPBACK = "127.0.0.1"
_PATIENCE = 120


def free_port() -> int:
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        return int(one.getsockname()[1])


def started(log: Path, *words: str, **env: str) -> subprocess.Popen[bytes]:
    """A class of Spark's in a process of its own."""
    pyspark = pytest.importorskip("pyspark", reason="Spark comes with uv sync --group heavy")
    home = Path(pyspark.__file__).parent
    quick = {"SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1", "SPARK_LOCAL_IP": LOOPBACK}
    with log.open("wb") as out:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), *words],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=os.environ | quick | {"SPARK_HOME": str(home)} | env,
            start_new_session=True,
        )


def family(pid: int) -> list[int]:
    """A process and all that it has started, by /proc: whatever group they put themselves in."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = stat.read_text()
        except OSError:
            continue  # ended meanwhile
        parents.setdefault(int(told.rsplit(")", 1)[1].split()[1]), []).append(int(stat.parent.name))
    out = [pid]
    for one in out:
        out += parents.get(one, [])
    return out


def end(process: subprocess.Popen[bytes]) -> None:
    """The power goes off: this process and all of its own, at once."""
    for pid in family(process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as one:
            one.settimeout(1)
            if one.connect_ex((LOOPBACK, port)) == 0:
                return
        time.sleep(0.2)
    raise RuntimeError(f"nothing listens at {port}: {log.read_text(errors='replace')[-2000:]}")


@dataclass(slots=True)
class Standalone:
    """A master and its nodes: each a worker, which starts executors when it is asked to."""

    address: str
    nodes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def node_of(self, pid: int) -> subprocess.Popen[bytes]:
        return next(node for node in self.nodes if pid in family(node.pid))


@contextmanager
def standalone(folder: Path, nodes: int = 2) -> Iterator[Standalone]:
    """Up with all its nodes registered."""
    port, log = free_port(), folder / "master.log"
    where = ("--host", LOOPBACK, "--webui-port", "0")
    own = "org.apache.spark.deploy"
    master = started(log, f"{own}.master.Master", *where, "--port", str(port))
    cluster = Standalone(f"spark://{LOOPBACK}:{port}")
    try:
        wait_for(port, master, log)
        for n in range(nodes):
            room = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"node-{n}"))
            words = (f"{own}.worker.Worker", *where, *room, cluster.address)
            cluster.nodes.append(started(folder / f"node-{n}.log", *words))
        until = time.monotonic() + _PATIENCE
        while log.read_text(errors="replace").count("Registering worker") < nodes:
            assert time.monotonic() < until, log.read_text(errors="replace")[-2000:]
            time.sleep(0.2)
        yield cluster
    finally:
        for process in (*cluster.nodes, master):
            end(process)


@contextmanager
def connect_server(folder: Path, master: str, python: str) -> Iterator[str]:
    """The address of a Connect server over a master."""
    port, log = free_port(), folder / "connect.log"
    settings = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.ui.enabled": "false",
    }
    words = [w for name, value in settings.items() for w in ("--conf", f"{name}={value}")]
    server = started(
        log,
        "org.apache.spark.deploy.SparkSubmit",
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        *("--master", master, *words, "spark-internal"),
        PYSPARK_PYTHON=python,
    )
    try:
        wait_for(port, server, log)
        yield f"sc://{LOOPBACK}:{port}"
    finally:
        end(server)
