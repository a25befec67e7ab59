"""Dagster's two servers as child processes: started together, stopped together."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from events.errors import EvenhandError
from events.runtime.modes import make_folder
from events.settings import Settings
from pipelines.dagster_defs.home import dagster_home, open_instance

LOOPBACK = "127.0.0.1"
POLL_S = 0.3
STOP_S = 20.0
START_S = 120.0
_MODULE = "pipelines.dagster_defs.definitions"
_LAST_LINES = 3

Say = Callable[[str], None]


@dataclass(slots=True)
class Server:
    """One child, in a session of its own so that we decide when it stops."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self, deadline: float) -> None:
        """Ask, then insist; its own children go with it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def last_words(self) -> str:
        lines = self.log.read_text("utf-8", "replace").strip().splitlines()
        return " / ".join(lines[-_LAST_LINES:])


def run_servers(settings: Settings, port: int, say: Say) -> None:
    """Run both until a signal comes or one of them ends by itself."""
    _check_port(port)
    stop: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: stop.append(n))
    home = dagster_home(settings.home)
    with open_instance(settings.home):
        pass  # the databases are there before two servers look for them
    say(f"starting; logs are in {home / 'servers'}")
    servers = [
        _start(settings, home, "webserver", "dagster_webserver", ["-h", LOOPBACK, "-p", str(port)]),
        _start(settings, home, "daemon", "dagster._daemon", ["run"]),
    ]
    told, begun = False, time.monotonic()
    try:
        while not stop:
            for server in servers:
                if server.process.poll() is not None:
                    raise EvenhandError(
                        f"Dagster's {server.name} ended by itself (exit code "
                        f"{server.process.returncode}): {server.last_words()}; see {server.log}"
                    )
            if not told and _answers(port):
                say(f"http://{LOOPBACK}:{port} shows runs and assets; Ctrl-C stops")
                told = True
            if not told and time.monotonic() - begun > START_S:
                raise EvenhandError(
                    f"Dagster's webserver did not answer within {START_S:.0f} s; see "
                    f"{servers[0].log}"
                )
            time.sleep(POLL_S)
    finally:
        deadline = time.monotonic() + STOP_S
        for server in servers:
            if server.process.poll() is None:
                server.process.send_signal(signal.SIGINT)
        for server in servers:
            server.stop(deadline)
        say("stopped")


def _start(settings: Settings, home: Path, name: str, module: str, args: list[str]) -> Server:
    log = home / "servers" / f"{name}.log"
    make_folder(log.parent)  # not logs/: Dagster empties that one
    env = os.environ | {
        "DAGSTER_HOME": str(home),
        "EVENHAND_HOME": str(settings.home.absolute()),
        "GX_ANALYTICS_ENABLED": "false",
    }
    with log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *args, "-m", _MODULE],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Server(name, process, log)


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            raise EvenhandError(
                f"port {port} is taken on this machine; stop what listens there, or choose "
                f"another with --port"
            ) from None


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{LOOPBACK}:{port}/server_info", timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
