"""What `evenhand up` says of its processes, in a file that `evenhand status` reads."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from events.runtime.durable import write_whole
from events.runtime.modes import make_folder


@dataclass(frozen=True, slots=True)
class ServiceState:
    """One process. `pid` is null while it waits to be started again."""

    name: str
    pid: int | None
    since: str
    restarts: int
    last_exit: int | None
    log: str


@dataclass(frozen=True, slots=True)
class HouseState:
    """All of them, and the process that watches over them."""

    pid: int
    started_at: str
    services: tuple[ServiceState, ...]


def state_file(home: Path) -> Path:
    return home / "run" / "up.json"


def write_state(home: Path, state: HouseState) -> None:
    path = state_file(home)
    make_folder(path.parent)
    write_whole(path, json.dumps(asdict(state), indent=1).encode())


def forget_state(home: Path) -> None:
    state_file(home).unlink(missing_ok=True)


def read_state(home: Path) -> HouseState | None:
    """Who runs now; None where nobody does, or what is written down is of a dead process."""
    try:
        found = json.loads(state_file(home).read_bytes())
        services = tuple(ServiceState(**one) for one in found["services"])
        state = HouseState(found["pid"], found["started_at"], services)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return state if is_alive(state.pid) else None


def is_alive(pid: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
