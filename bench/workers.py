"""What the night's workers cost: pinned columns in, Parquet parts out, in one process.

    uv run python -m bench.workers [--home DIR] [--tables N] [--rounds N] [--faults P]
                                   [--against REV] [--profile]

`bench.replay` measures the rules on rounds in memory; a worker also reads the day's columns, checks
the record and the shoes of each table, and writes rows. Here all groups of a day are done one after
the other by the function that the engines call, so that no second process shares the caches. The
floor has faults as a casino-day has them: most table-days have some, and a record that is not whole
takes another way than one that is. The sources and, where there is a build, the compiled rules take
turns, or with --against this commit and another; both sides must write the same bytes.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import itertools
import os
import pstats
import secrets
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import pyarrow as pa

from bench.sides import ROOT, Measured, Side, another, builds, in_turns, show, show_ratios, told
from bench.yardstick import PASSES, d_of, interpreter
from events.archive.reader import Archive
from events.codec import body_of
from events.log.files.log import FileLog
from events.settings import load_settings
from pipelines.night.context import Night, begin
from pipelines.night.stages import pin_day, tasks_of
from pipelines.night.work import Done, audit_group

DAY = date(2026, 11, 14)
SAMPLE = 150_000
EVENHAND = (sys.executable, "-c", "from pipelines.cli.main import main; main()")


def fill(home: Path, tables: int, rounds: int, faults: float) -> None:
    """A simulated day in the archive, unless there is one."""
    if (home / "archive").exists():
        return
    env = os.environ | {"EVENHAND_HOME": str(home)}
    size = ["--tables", str(tables), "--rounds", str(rounds), "--faults", str(faults)]
    play = ["simulate", "--day", DAY.isoformat(), "--seed", "5", *size]
    for words in (play, ["ingest"]):
        subprocess.run([*EVENHAND, *words], env=env, check=True, stdout=subprocess.DEVNULL)


def begun(home: Path) -> Night:
    """A run of the home's last day, pinned."""
    settings = load_settings({"home": str(home)}, environ={}, folder=home.parent)
    with Archive(home / "archive") as archive:
        day = archive.days()[-1]
    night = begin(settings, day, secrets.token_hex(4))
    pin_day(night)
    return night


def audit_groups(night: Night) -> list[Done]:
    return [audit_group(task) for task in tasks_of(night)]


def bytes_of(night: Night) -> str:
    """One hash over all parts that were written, by name."""
    whole = hashlib.sha256()
    for path in sorted(night.folder.path.glob("*.parquet")):
        whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def measure(home: Path) -> Measured:
    night = begun(home)
    start = time.process_time()
    done = audit_groups(night)
    whole = time.process_time() - start
    events = sum(task.events for task in tasks_of(night))
    messages = itertools.islice(FileLog(home / "log").read({}), SAMPLE)
    bodies = [body_of(message.value) for message in messages]
    seconds = {"D: fastavro alone": d_of(bodies) * events / len(bodies), "the workers": whole}
    for name, what in (("read", "columns"), ("replay", "audit of tables"), ("load", "writing")):
        seconds[f"  of it {what}"] = sum(one.seconds[name] for one in done)
    rounds = sum(one.counts["rounds"] for one in done)
    return Measured(events, rounds, seconds, bytes_of(night))


def profile(home: Path) -> None:
    night = begun(home)
    found = cProfile.Profile()
    found.runcall(audit_groups, night)
    pstats.Stats(found).sort_stats("tottime").print_stats(60)


def compare(sides: list[Side], home: Path, passes: int) -> None:
    print(interpreter())
    found = in_turns(sides, "workers", ["--home", str(home)], passes)
    for side, measured in zip(sides, found, strict=True):
        show(side, measured)
    if len(sides) > 1:
        show_ratios(sides, found)
        if found[0].written != found[1].written:
            sys.exit(f"{sides[0].name} and {sides[1].name} write different files")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--home", type=Path, help="its last day, made there where there is none")
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=700, help="of each table")
    parser.add_argument("--faults", type=float, default=0.004)
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--against", metavar="REV", help="another commit, the sources of both")
    parser.add_argument("--once", action="store_true", help="this process alone, as JSON")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    with tempfile.TemporaryDirectory() as folder:
        home: Path = (options.home or Path(folder)).absolute()
        fill(home, options.tables, options.rounds, options.faults)
        if options.once:
            told(measure(home))
        elif options.profile:
            profile(home)
        elif options.against:
            with another(options.against) as other:
                compare([Side("here", ROOT), other], home, options.passes)
        else:
            compare(builds(), home, options.passes)


if __name__ == "__main__":
    main()
