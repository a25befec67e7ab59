"""Which processes make up the house, in the order in which they start."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

LOOPBACK = "127.0.0.1"
_EVENHAND = (sys.executable, "-c", "from pipelines.cli.main import main; main()")
_DEFINITIONS = "pipelines.dagster_defs.definitions"


@dataclass(frozen=True, slots=True)
class Service:
    """One process: what it is called, how it is started, and what answers when it is up."""

    name: str
    words: tuple[str, ...]
    port: int | None = None
    probe: str | None = None
    what: str = ""


def services_of(
    source: str, ui_port: int, desk_port: int, without: Collection[str] = ()
) -> list[Service]:
    """The house's services; `source`: the log that ingest and watch follow."""
    dagster = ("-m", _DEFINITIONS, "--log-format", "json")
    everything = [
        Service("ingest", (*_EVENHAND, "ingest", "--from", source, "--follow")),
        Service("watch", (*_EVENHAND, "watch", "--from", source)),
        Service("daemon", (sys.executable, "-m", "dagster._daemon", "run", *dagster)),
        Service(
            "webserver",
            (
                *(sys.executable, "-m", "dagster_webserver", "-h", LOOPBACK),
                *("-p", str(ui_port), *dagster),
            ),
            ui_port,
            "/server_info",
            "shows runs and assets",
        ),
        Service(
            "desk",
            (*_EVENHAND, "desk", "--port", str(desk_port)),
            desk_port,
            "/healthz",
            "is the desk",
        ),
    ]
    return [one for one in everything if one.name not in without]


def log_of(home: Path, name: str) -> Path:
    """The file that a service's output goes to."""
    return home / "logs" / f"{name}.log"
