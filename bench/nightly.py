"""What a night costs: from the archive to a published warehouse, in one run.

    uv run python -m bench.nightly [--tables N] [--rounds A B C] [--folder DIR] [--fill]

`--rounds` are rounds per table, three sizes. The days that are made stay in `--folder`, where it is
given, and are not made again; `--fill` only makes them. Machines differ, so the time is given as a
multiple of D / cores, where D is the time that fastavro alone needs to decode the same events on
one core. Great Expectations' share is shown apart. Every night runs in a process of its own, so
that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bench.yardstick import d_of, interpreter
from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.codec import body_of
from events.devices.deliver import deliver
from events.devices.floor import default_floor
from events.log.files.log import FileLog
from events.runtime.workers import cores
from events.settings import Settings, load_settings
from pipelines.cli.simulate import order_of

DAY = date(2026, 3, 10)
SAMPLE = 150_000


@dataclass(frozen=True, slots=True)
class NightMeasured:
    """One size: D and the night, in seconds."""

    rounds: int
    events: int
    d: float
    seconds: dict[str, float]
    workers: dict[str, float]
    peak_mb: dict[str, float]
    busy_of: dict[str, float]

    @property
    def night(self) -> float:
        """Without Great Expectations, whose import alone takes seconds."""
        return self.seconds["all"] - self.seconds["great_expectations"]

    @property
    def busy(self) -> float:
        """Seconds of all processors together without the suites', which other work on the machine
        hardly changes; what the workers' server imports for them is not in it."""
        return sum(self.busy_of.values()) - self.busy_of.get("great_expectations", 0.0)

    @property
    def multiple(self) -> float:
        return self.night / (self.d / cores())


def home_of(folder: Path, tables: int, rounds: int) -> Path:
    return folder / f"{tables}-tables-{rounds}-rounds"


def fill(home: Path, tables: int, rounds: int) -> Settings:
    """A simulated day in the archive, unless it is there."""
    settings = load_settings({"home": str(home)}, environ={}, folder=home.parent)
    whole = home / "whole"
    if whole.exists():
        return settings
    floor = default_floor()
    order = order_of(
        settings,
        tables=tables,
        day=DAY,
        seed=11,
        rounds=rounds,
        irregularities=floor.day.irregularities,
        faults=0.001,
    )
    log = FileLog(settings.home / "log", write=True)
    deliver(order, floor, log, processes=cores())
    with ArchiveWriter(settings.home / "archive", settings.gaming_day) as archive:
        ingest(log, archive)
    log.close()
    whole.touch()
    return settings


def decode_seconds(settings: Settings, events: int) -> float:
    """D: the best of three passes over a sample, for all events."""
    log = FileLog(settings.home / "log")
    bodies = [body_of(m.value) for m in itertools.islice(log.read({}), SAMPLE)]
    return d_of(bodies) * events / len(bodies)


def one_night(home: Path) -> None:
    """Run the night of a home and print what it took, for the process that started this one."""
    from pipelines.night.plain import run_day

    settings = load_settings({"home": str(home)}, environ={}, folder=home)
    begun = time.perf_counter()
    night = run_day(settings, DAY)
    spent, busy = time.perf_counter() - begun, time.process_time()
    state = night.state()
    peaks = state["peak_kb"] | {"main": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}
    print(
        json.dumps(
            {
                "seconds": state["seconds"] | {"all": spent},
                "busy_of": state["busy_seconds"] | {"main": busy},
                "workers": state["worker_seconds"],
                "events": state["pinned"]["events"],
                "rounds": state["counts"]["rounds"],
                "peak_mb": {k: v / 1024 for k, v in peaks.items()},
            }
        )
    )


def measure(folder: Path, tables: int, rounds: int) -> NightMeasured:
    home = home_of(folder, tables, rounds)
    settings = fill(home, tables, rounds)
    shutil.rmtree(home / "warehouse", ignore_errors=True)  # of an earlier measurement
    command = [sys.executable, "-m", "bench.nightly", "--one", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    d = decode_seconds(settings, found["events"])
    return NightMeasured(
        found["rounds"],
        found["events"],
        d,
        found["seconds"],
        found["workers"],
        found["peak_mb"],
        found["busy_of"],
    )


def show(m: NightMeasured) -> None:
    print(f"\n{m.rounds:,} rounds, {m.events:,} events, {cores()} cores, {interpreter()}")
    print(f"  D (fastavro alone, one core)     {m.d:8.2f} s  {m.events / m.d:10,.0f} events/s")
    print(f"  night, without the suites        {m.night:8.2f} s  {m.multiple:10.2f} D / cores")
    print(f"  processor time of all processes  {m.busy:8.2f} s  {m.busy / m.d:10.2f} D")
    replay = m.workers["replay"]
    rates = f"{m.rounds / replay:10,.0f} rounds/s {m.events / replay:,.0f} events/s"
    print(f"  of it replay and comparison      {replay:8.2f} s  {replay / m.d:10.2f} D {rates}")
    print(f"  Great Expectations, apart        {m.seconds['great_expectations']:8.2f} s")
    busy = sum(m.workers.values())
    for name, spent in m.workers.items():
        share = m.seconds["audit"] * spent / busy / m.night if busy else 0.0
        print(f"    {name:<14}{spent:8.2f} s on the cores {share:8.0%} of the night")
    names = ("pin", "findings", "stage", "reconcile", "figures", "report", "publish")
    for name in names:
        print(f"    {name:<14}{m.seconds[name]:8.2f} s {m.seconds[name] / m.night:21.0%}")
    for name, mb in m.peak_mb.items():
        what = f"worker {name}" if name.isdigit() else name
        print(f"    {what:<24}{m.busy_of[name]:8.2f} s on the cores {mb:10,.0f} MB at most")


def fit(sizes: list[NightMeasured]) -> None:
    """A straight line through the sizes, by least squares."""
    xs, ys = [m.events for m in sizes], [m.night for m in sizes]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - x0) ** 2 for x in xs)
    slope = sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / spread
    base = y0 - slope * x0
    off = sum((y - base - slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    fits = 1 - off / (sum((y - y0) ** 2 for y in ys) or 1.0)
    print(f"\ngrowth: {base:.2f} s + {slope * 1e6:.2f} s per million events, R2 {fits:.4f}")
    d = sizes[-1].d / sizes[-1].events
    print(f"        the slope alone is {slope / (d / cores()):.2f} D / cores")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, nargs="+", default=[200, 400, 800])
    parser.add_argument("--folder", type=Path, help="where the days are made, and stay")
    parser.add_argument("--fill", action="store_true", help="only make the days")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        one_night(args.one)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = args.folder or Path(name)
        if args.fill:
            for rounds in args.rounds:
                fill(home_of(folder, args.tables, rounds), args.tables, rounds)
            return
        sizes = []
        for rounds in args.rounds:
            sizes.append(measure(folder, args.tables, rounds))
            show(sizes[-1])
        if len(sizes) > 2:
            fit(sizes)


if __name__ == "__main__":
    main()
