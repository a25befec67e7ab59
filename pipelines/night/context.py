"""One run of one day: where it works, with what settings, and what it has learnt so far."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from structlog.stdlib import BoundLogger

from events.runtime import logs
from events.runtime.durable import write_whole
from events.runtime.modes import make_folder
from events.settings import Settings
from pipelines.warehouse.layout import RunFolder, Warehouse, new_run_id, warehouse_of


@dataclass(frozen=True, slots=True)
class Night:
    """A run. What a stage tells the next lies in state.json, so that each can be a process."""

    settings: Settings
    folder: RunFolder
    dagster_run: str | None = None

    @property
    def day(self) -> date:
        return self.folder.day

    @property
    def warehouse(self) -> Warehouse:
        return warehouse_of(self.settings.home)

    @property
    def archive(self) -> Path:
        return self.settings.home / "archive"

    @property
    def state_file(self) -> Path:
        return self.folder.path / "state.json"

    @property
    def log(self) -> BoundLogger:
        """What the run says of itself, told apart from other runs by its id."""
        return logs.logger("night").bind(run=self.folder.run, day=self.day.isoformat())

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.state_file.read_text("utf-8"))
        return found

    def add(self, **facts: Any) -> None:
        """Remember something for the stages that follow; dictionaries grow."""
        known = self.state() if self.state_file.exists() else {}
        for name, value in facts.items():
            before = known.get(name)
            merge = isinstance(before, dict) and isinstance(value, dict)
            known[name] = before | value if merge and before is not None else value
        make_folder(self.folder.path)
        write_whole(self.state_file, json.dumps(known, ensure_ascii=False).encode())

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Note how long a stage took, for the figures of the run."""
        begun = perf_counter()
        yield
        seconds = round(perf_counter() - begun, 3)
        self.add(seconds={stage: seconds})
        self.log.info("night.stage", stage=stage, seconds=seconds)


def begin(settings: Settings, day: date, token: str, dagster_run: str | None = None) -> Night:
    """A new run of a day. `token` tells it from others of the same second."""
    warehouse = warehouse_of(settings.home)
    now = datetime.now(UTC)
    folder = warehouse.run_folder(day, new_run_id(token, now))
    night = Night(settings, folder, dagster_run)
    night.add(started_at=now.isoformat())
    logs.keep_runs(settings.home, settings.log_level)
    night.log.info("night.begun", dagster_run=dagster_run, engine=settings.engine)
    return night
