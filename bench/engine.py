"""What an engine costs beside the work itself, and what a year would take on how many cores.

    uv run python -m bench.engine --folder DIR [--days N] [--tables N] [--rounds A B] [--cores N]

Days of two sizes (`--rounds` per table) are made in DIR, where they stay: what was made or measured
is not made or measured again, so it can be stopped and started. Each home is audited again as one
job, by processes of this machine and by Spark with as many executors of one core. `overhead` is
the processor time of all processes of the job divided by that inside the work (groups and closes),
the start of Java and of every Python included; the budget is 1.2. Two sizes tell the start from the
rest. Processor time is hardly changed
by what else the machine does; the elapsed time of a close is, so measure on a quiet machine.

The table at the end is worked out, not measured: a casino-day of 24 million events by a straight
line through the two sizes, 365 of them, on N cores.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.engine_work import TimedEngine
from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.devices.deliver import deliver
from events.devices.floor import default_floor
from events.log.files.log import FileLog
from events.runtime.workers import cores
from events.settings import Settings, load_settings
from pipelines.cli.simulate import order_of
from pipelines.engines.base import Engine
from pipelines.engines.local import LocalEngine

FIRST = date(2026, 3, 1)
CASINO_EVENTS = 24_000_000
YEAR = 365
BUDGET = 1.2
_SUBREAPER = 36  # Linux: orphans among our descendants become our children


@dataclass(frozen=True, slots=True)
class JobCost:
    """One job over some days, in seconds."""

    days: int
    events: int
    all_busy: float
    audit: float
    close: float
    driver: dict[str, float]
    elapsed: dict[str, float]

    @property
    def inside(self) -> float:
        return self.audit + self.close

    @property
    def overhead(self) -> float:
        return self.all_busy / self.inside


@dataclass(frozen=True, slots=True)
class CostLine:
    """A cost per day: some of it always, some with each event."""

    base: float
    slope: float

    def at(self, events: float) -> float:
        return self.base + self.slope * events

    @staticmethod
    def through(small: tuple[float, float], large: tuple[float, float]) -> CostLine:
        """Costs do not fall with events; a slope or a base below zero is the measurement's."""
        slope = max((large[1] - small[1]) / max(large[0] - small[0], 1e-9), 0.0)
        return CostLine(max(large[1] - slope * large[0], 0.0), slope)


@dataclass(frozen=True, slots=True)
class YearCost:
    """What one day costs: on any core, and on the one machine that pins and publishes."""

    audit: CostLine
    close: CostLine
    driver: CostLine
    overhead: float

    def on(self, count: int, events: float = CASINO_EVENTS, days: int = YEAR) -> dict[str, float]:
        """Hours of each part on so many cores. A day is closed by one core, the driver's part goes
        day by day."""
        audit = days * self.audit.at(events) * self.overhead / count
        waves = -(-days // count)
        close = waves * self.close.at(events) * self.overhead
        parts = {"audit": audit, "close": close, "driver": days * self.driver.at(events)}
        return {name: seconds / 3600 for name, seconds in parts.items()}


def make(home: Path, days: int, tables: int, rounds: int) -> Settings:
    """Simulated days in the archive, those that are not there yet."""
    settings = load_settings({"home": str(home)}, environ={}, folder=home.parent)
    floor = default_floor()
    for n in range(days):
        day = FIRST + timedelta(days=n)
        whole = home / f"whole-{day}"
        if whole.exists():
            continue
        order = order_of(
            settings, tables=tables, day=day, seed=11 + n, rounds=rounds,
            irregularities=floor.day.irregularities, faults=0.001,
        )  # fmt: skip
        log = FileLog(home / "log", write=True)
        deliver(order, floor, log, processes=cores())
        with ArchiveWriter(home / "archive", settings.gaming_day) as archive:
            ingest(log, archive)
        log.close()
        whole.touch()
    return settings


def one_job(home: Path, days: int, engine: str, count: int) -> None:
    """One `reaudit`, its parts timed, told as JSON to the process that started this one."""
    from pipelines.engines.spark import SparkEngine
    from pipelines.night import reaudit as module

    root = str(Path(__file__).parents[1])
    chosen: Engine = LocalEngine(count)
    if engine != "local":
        chosen = SparkEngine(engine, config={"spark.executorEnv.PYTHONPATH": root})
    watched = TimedEngine(chosen)
    module.engine_of = lambda text: watched  # type: ignore[assignment] # what is measured
    settings = load_settings({"home": str(home), "engine": engine}, environ={}, folder=home)
    marks = [("pin", time.process_time(), time.perf_counter())]

    def mark(text: str) -> None:
        marks.append((text.split(maxsplit=1)[0], time.process_time(), time.perf_counter()))

    done = module.reaudit(
        settings, [FIRST + timedelta(days=n) for n in range(days)], with_suites=False, say=mark
    )
    mark("end")
    pairs = list(pairwise(marks))
    told = {
        "days": len(done.days),
        "inside": watched.inside,
        "driver": {a[0]: b[1] - a[1] for a, b in pairs},
        "elapsed": {a[0]: b[2] - a[2] for a, b in pairs},
    }
    print(json.dumps(told))


def measured(home: Path, days: int, engine: str, count: int) -> JobCost:
    """A job in a process of its own; what was measured before is kept beside the home."""
    kept = home / f"measured-{engine}-{count}-{days}.json"
    if not kept.exists():
        shutil.rmtree(home / "warehouse", ignore_errors=True)
        command = [sys.executable, "-m", "bench.engine", "--one", str(home), engine]
        command += ["--days", str(days), "--cores", str(count)]
        others, before = _children(), _busy_of_children()
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        _wait_for_all(others)
        told["all_busy"] = _busy_of_children() - before
        kept.write_text(json.dumps(told))
    told = json.loads(kept.read_text())
    events = _events(home)
    inside = told["inside"]
    return JobCost(
        told["days"], events, told["all_busy"], inside["audit_group"], inside["close_day"],
        told["driver"], told["elapsed"],
    )  # fmt: skip


def _events(home: Path) -> int:
    from events.archive.reader import Archive

    with Archive(home / "archive") as archive:
        return sum(sum(archive.tables_of(day).values()) for day in archive.days())


def _busy_of_children() -> float:
    """Of all descendants that have ended: each hands its own on to whoever waits for it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _children() -> set[int]:
    found = (path.read_text().split() for path in Path("/proc/self/task").glob("*/children"))
    return {int(pid) for pids in found for pid in pids}


def _wait_for_all(others: set[int]) -> None:
    """For every child of ours, but these, which have nothing to do with it."""
    while left := _children() - others:
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def show(name: str, cost: JobCost) -> None:
    each = cost.close / cost.days
    print(f"\n{name}: {cost.days} days, {cost.events:,} events")
    print(f"  inside the groups            {cost.audit:9.2f} s of processor time")
    print(f"  inside the closes            {cost.close:9.2f} s, {each:.3f} s a day")
    print(f"  all processes of the job     {cost.all_busy:9.2f} s")
    print(f"  overhead                     {cost.overhead:9.2f}")
    print(f"  close of all days, elapsed   {cost.elapsed.get('closing', 0.0):9.2f} s")
    for part, spent in cost.driver.items():
        print(f"    the driver itself, {part:<8}  {spent:9.2f} s")


def year_table(costs: YearCost, counts: Sequence[int]) -> list[str]:
    """A line for each number of cores: hours, and what they are spent on most."""
    lines = ["| cores | audit h | close h | driver h | in all h | bottleneck |"]
    lines.append("|---|---|---|---|---|---|")
    for count in counts:
        parts = costs.on(count)
        worst = max(parts, key=lambda name: parts[name])
        figures = " | ".join(f"{parts[n]:.1f}" for n in ("audit", "close", "driver"))
        lines.append(f"| {count} | {figures} | {sum(parts.values()):.1f} | {worst} |")
    return lines


def per_day(cost: JobCost, spent: float) -> tuple[float, float]:
    return cost.events / cost.days, spent / cost.days


def conclude(here: Sequence[JobCost], there: Sequence[JobCost]) -> None:
    """What both engines cost on both sizes comes to."""
    start = CostLine.through(*((c.inside, c.all_busy) for c in there))
    factor = max(start.slope, 1.0)
    print(f"\nSpark against the work alone: {there[-1].overhead:.2f} in all (budget {BUDGET}),")
    print(f"  {start.base:.0f} s of it to start, then {factor:.2f} times the work")
    print(f"Spark against local on the same cores: {there[-1].overhead / here[-1].overhead:.2f}")
    year = YearCost(
        audit=CostLine.through(*(per_day(c, c.audit) for c in here)),
        close=CostLine.through(*(per_day(c, c.close) for c in here)),
        driver=CostLine.through(*(per_day(c, sum(c.driver.values())) for c in here)),
        overhead=factor,
    )
    print(f"\na year of casino-days, {CASINO_EVENTS:,} events each, worked out from these costs:\n")
    print("\n".join(year_table(year, (16, 64, 256, 1024))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--folder", type=Path, help="where days and measurements stay")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, nargs=2, default=[50, 200])
    parser.add_argument("--cores", type=int, default=cores())
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        one_job(Path(args.one[0]), args.days, args.one[1], args.cores)
        return
    if args.folder is None:
        parser.error("--folder: expected where the days are made and stay")
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    spark = f"local-cluster[{args.cores},1,1024]"
    here: list[JobCost] = []
    there: list[JobCost] = []
    for rounds in args.rounds:
        home = args.folder / f"{args.days}-days-{args.tables}-tables-{rounds}-rounds"
        make(home, args.days, args.tables, rounds)
        for name, costs in (("local", here), (spark, there)):
            costs.append(measured(home, args.days, name, args.cores))
            show(f"{name}, {args.cores} cores", costs[-1])
    conclude(here, there)


if __name__ == "__main__":
    main()
