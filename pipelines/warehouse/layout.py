"""Where things lie in the warehouse.

warehouse/audit.duckdb                                   the catalogue that auditors open
warehouse/publish.lock, warehouse/day=2026-11-15.lock    held while a run works
warehouse/day=2026-11-15/run=20261116T021500-1a2b3c4d/   what one run made of one day
    events-000.parquet      the archive's columns, a copy
    rounds-000.parquet      and lines, settlements; as many parts as the run had groups of tables
    findings.parquet        and quality, figures, waivers, dealers, fired: small, in the catalogue
    players.parquet         who played how much, sorted by player; a view over it
    stage.duckdb            this day alone, for the checks before it is published
    report.html, .csv, .json
    run.json                written when all of it is there

The names `day=` and `run=` are how DuckDB and others tell a file's day without opening it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

PARTS = ("events", "rounds", "lines", "settlements")
"""The big tables: views over Parquet files, several of them a day."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The files of one run of one day."""

    path: Path
    day: date
    run: str

    def part(self, name: str, number: int) -> Path:
        return self.path / f"{name}-{number:03d}.parquet"

    def parts(self, name: str) -> list[Path]:
        """The parts of a big table, in order."""
        return sorted(self.path.glob(f"{name}-[0-9][0-9][0-9]*.parquet"))

    def small(self, name: str) -> Path:
        return self.path / f"{name}.parquet"

    def key(self, name: str) -> str:
        """What a file of the run is called in an object store."""
        return f"runs/day={self.day}/run={self.run}/{name}"

    @property
    def record(self) -> Path:
        return self.path / "run.json"

    @property
    def stage(self) -> Path:
        return self.path / "stage.duckdb"

    def report(self, kind: str) -> Path:
        return self.path / f"report.{kind}"


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The paths of one warehouse."""

    root: Path

    @property
    def catalogue(self) -> Path:
        return self.root / "audit.duckdb"

    @property
    def publish_lock(self) -> Path:
        return self.root / "publish.lock"

    def day_lock(self, day: date) -> Path:
        return self.root / f"day={day.isoformat()}.lock"

    def day_folder(self, day: date) -> Path:
        return self.root / f"day={day.isoformat()}"

    def run_folder(self, day: date, run: str) -> RunFolder:
        return RunFolder(self.day_folder(day) / f"run={run}", day, run)

    def run_folders(self, day: date | None = None) -> list[RunFolder]:
        """Every run that left a folder, finished or not, by day and time."""
        days = f"day={day.isoformat()}" if day else "day=*"
        found = []
        for path in sorted(self.root.glob(f"{days}/run=*")):
            match = re.fullmatch(r"day=(\d{4}-\d\d-\d\d)", path.parent.name)
            if match and path.is_dir():
                found.append(
                    RunFolder(path, date.fromisoformat(match[1]), path.name.removeprefix("run="))
                )
        return found


def warehouse_of(home: Path) -> Warehouse:
    """The warehouse of a home folder."""
    return Warehouse((home / "warehouse").absolute())


def new_run_id(token: str, now: datetime | None = None) -> str:
    """A name that sorts by time and carries the beginning of the orchestrator's run id."""
    at = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{at:%Y%m%dT%H%M%S}-{token[:8]}"
