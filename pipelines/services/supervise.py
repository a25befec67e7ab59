"""Keeping the house's processes alive: each is started again when it dies, all end in order.

A process that dies at once is started again after a pause that doubles, so that a broken one costs
nothing but its own service and says so; the others go on.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from events.errors import EvenhandError
from events.runtime.modes import make_folder
from pipelines.services.spec import LOOPBACK, Service, log_of
from pipelines.services.state import HouseState, ServiceState, forget_state, write_state

POLL_S = 0.3
STOP_S = 20.0
STEADY_S = 60.0
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
LOG_BYTES = 32 * 2**20
_LAST_LINES = 2
_PR_SET_PDEATHSIG = 1


class Say(Protocol):
    """Who is told what happens in the house: a name for machines, a sentence for people."""

    def __call__(self, event: str, text: str, **facts: Any) -> None: ...


@dataclass(slots=True)
class Running:
    """A service and its process, in a session of its own so that we decide when it stops."""

    service: Service
    log: Path
    process: subprocess.Popen[bytes] | None = None
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    begun: float = 0.0
    restarts: int = 0
    failures: int = 0
    next_try: float = 0.0
    last_exit: int | None = None
    answered: bool = False

    def start(self, env: Mapping[str, str]) -> None:
        make_folder(self.log.parent)
        _turn_over(self.log)
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self.service.words,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has no threads
            )
        self.begun, self.since, self.answered = time.monotonic(), datetime.now(UTC), False

    def stop(self, deadline: float) -> None:
        """Ask, then insist; its own children go with it."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def last_words(self) -> str:
        lines = self.log.read_text("utf-8", "replace").strip().splitlines()
        return " / ".join(lines[-_LAST_LINES:])

    def state(self) -> ServiceState:
        alive = self.process is not None and self.process.poll() is None
        return ServiceState(
            name=self.service.name,
            pid=self.process.pid if alive and self.process is not None else None,
            since=self.since.strftime("%Y-%m-%dT%H:%M:%SZ"),
            restarts=self.restarts,
            last_exit=self.last_exit,
            log=str(self.log),
        )


def run_house(home: Path, services: Sequence[Service], env: Mapping[str, str], say: Say) -> None:
    """Run all of them until a signal comes."""
    for service in services:
        _check_port(service)
    stop: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: stop.append(n))
    house = [Running(service, log_of(home, service.name)) for service in services]
    names = [s.name for s in services]
    say("up.begun", f"starting {', '.join(names)}; logs are in {home / 'logs'}", services=names)
    started_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        for one in house:
            one.start(env)
        _tell(home, started_at, house)
        while not stop:
            changed = [_look(one, env, say) for one in house]
            if any(changed):
                _tell(home, started_at, house)
            time.sleep(POLL_S)
    finally:
        _stop_all(house)
        forget_state(home)
        say("up.ended", "stopped")


def _tell(home: Path, started_at: str, house: Sequence[Running]) -> None:
    write_state(home, HouseState(os.getpid(), started_at, tuple(one.state() for one in house)))


def _look(one: Running, env: Mapping[str, str], say: Say) -> bool:
    """Whether something has changed: it died, it was started again, it answers."""
    now = time.monotonic()
    if one.process is not None and one.process.poll() is not None:
        return _bury(one, one.process.returncode, now, say)
    if one.process is None:
        if now < one.next_try:
            return False
        one.restarts += 1
        one.start(env)
        return True
    if not one.answered and one.service.port is not None and _answers(one.service):
        one.answered = True
        address = f"http://{LOOPBACK}:{one.service.port}"
        said = f"{address} {one.service.what}"
        say("service.ready", said, name=one.service.name, address=address)
        return True
    return False


def _bury(one: Running, code: int, now: float, say: Say) -> bool:
    one.last_exit = code
    one.failures = 0 if now - one.begun > STEADY_S else one.failures + 1
    pause = PAUSES_S[min(one.failures, len(PAUSES_S) - 1)]
    one.next_try, one.process, one.since = now + pause, None, datetime.now(UTC)
    say(
        "service.ended",
        f"{one.service.name} ended by itself (exit code {one.last_exit}): {one.last_words()}; "
        f"starting it again in {pause:.0f} s, see {one.log}",
        name=one.service.name,
        exit_code=one.last_exit,
        again_in_s=pause,
    )
    return True


def _stop_all(house: Sequence[Running]) -> None:
    """The last to start is the first to be asked; nobody is waited for longer than all are."""
    deadline = time.monotonic() + STOP_S
    for one in reversed(house):
        if one.process is not None and one.process.poll() is None:
            one.process.send_signal(signal.SIGINT)
    for one in reversed(house):
        one.stop(deadline)


def _turn_over(log: Path) -> None:
    """A log that has grown large gets another name; evenhand retention deletes it in its time."""
    if log.exists() and log.stat().st_size > LOG_BYTES:
        now = datetime.now(UTC)
        log.replace(log.with_suffix(f".{now:%Y%m%dT%H%M%S%f}.log"))


def _die_with_parent() -> None:
    """Where the system can: whoever kills us kills what we started, so that no lock stays held."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _check_port(service: Service) -> None:
    if service.port is None:
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, service.port))
        except OSError:
            option = "--desk-port" if service.name == "desk" else "--port"
            raise EvenhandError(
                f"port {service.port} is taken on this machine; stop what listens there, or "
                f"choose another with {option}"
            ) from None


def _answers(service: Service) -> bool:
    try:
        address = f"http://{LOOPBACK}:{service.port}{service.probe}"
        with urllib.request.urlopen(address, timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
