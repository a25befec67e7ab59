"""A casino-day through all parts of the house, held against the budgets, in one table.

    uv run python -m bench.casino_day --home DIR [--day DAY] [PART ...]

Parts, in order: simulate ingest night show hands desk. What a home has already is taken as it is:
where it has a log, nothing is simulated, and what `bench.json` of the home tells of an earlier call
is not measured again unless its part is named. So it can be stopped and called again, and a part
can be repeated by itself; `simulate` and `desk` run only where they are named or needed. Every
command runs as its users type it, with bytecode on the disk, in a process of its own. Ratios are to
D, measured on the same events (bench/yardstick.py), in processor time, which other work on the
machine hardly changes; seconds on the wall mean something only on a quiet one.
"""

from __future__ import annotations

import argparse
import compileall
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from bench.yardstick import d_of, interpreter
from events.archive.reader import Archive
from events.codec import body_of
from events.log.files.log import FileLog
from events.runtime.workers import cores
from pipelines.warehouse.layout import warehouse_of

ROOT = Path(__file__).parents[1]
EVENHAND = (sys.executable, "-c", "from pipelines.cli.main import main; main()")
INGEST = """
import os, pathlib, time
from events.archive.writer import ArchiveWriter
from pipelines.cli.main import main

complete = ArchiveWriter.complete_days

def noted(self, **how):
    pathlib.Path(os.environ["BENCH_NOTE"]).write_text(str(time.process_time()))
    return complete(self, **how)

ArchiveWriter.complete_days = noted
main()
"""
"""The command that also says what its processor had worked when the whole log was taken in."""
NOTE = "bench.note"
SAMPLE = 150_000
PICKED = 9
CLOSE = "meters findings stage quality figures witness report publish".split()
Facts = dict[str, Any]


class Ran(dict[str, float]):
    """What a command took: `wall`, `busy` and `peak_mb` of its own process."""


def as_users() -> dict[str, str]:
    """The environment without what belongs to whoever measures."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("EVENHAND_", "PYTHONDONT"))}


def bytecode_on_the_disk() -> None:
    """As after the first days of an installation: no command compiles anything."""
    for package in ("events", "replay", "checks", "pipelines"):
        compileall.compile_dir(ROOT / package, quiet=2)
    heavy = "import dagster, duckdb_sqlalchemy, great_expectations.expectations"
    subprocess.run([sys.executable, "-c", heavy], env=as_users(), check=True, capture_output=True)


def command(
    home: Path,
    *words: str,
    one_core: bool = False,
    codes: tuple[int, ...] = (0,),
    program: tuple[str, ...] = EVENHAND,
) -> Ran:
    """Run evenhand as its users do."""
    env = as_users() | {"EVENHAND_HOME": str(home.absolute()), "BENCH_NOTE": str(home / NOTE)}
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(here)} if one_core else here)  # what is started inherits it
    begun = time.perf_counter()
    running = subprocess.Popen([*program, *words], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    os.sched_setaffinity(0, here)
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if running.returncode not in codes:
        sys.exit(f"evenhand {' '.join(words)} ended with {running.returncode}")
    return Ran(wall=wall, busy=used.ru_utime + used.ru_stime, peak_mb=used.ru_maxrss / 1024)


def simulate(home: Path, day: date, facts: Facts, tables: int, rounds: int) -> Facts:
    size = ["--tables", str(tables), "--rounds", str(rounds)]
    return dict(command(home, "simulate", "--day", day.isoformat(), *size))


def decode(home: Path) -> Facts:
    """D of one event, by a sample of the log."""
    messages = itertools.islice(FileLog(home / "log").read({}), SAMPLE)
    bodies = [body_of(m.value) for m in messages]
    return {"per_event": d_of(bodies) / len(bodies)}


def ingest(home: Path, day: date, facts: Facts) -> Facts:
    program = (sys.executable, "-c", INGEST)
    found = dict(command(home, "ingest", one_core=True, program=program))
    taken_in = float((home / NOTE).read_text("utf-8"))
    return found | {"events": events_of(home), "taken_in": taken_in}


def events_of(home: Path) -> int:
    with Archive(home / "archive") as archive:
        return sum(sum(archive.tables_of(day).values()) for day in archive.days())


def night(home: Path, day: date, facts: Facts) -> Facts:
    """The whole command; what its stages and processes took stands in the run's own state."""
    found = dict(command(home, "nightly", "--day", day.isoformat(), codes=(0, 1)))
    folder = warehouse_of(home).run_folders(day)[-1]
    state = json.loads((folder.path / "state.json").read_text("utf-8"))
    peaks = {name: kb / 1024 for name, kb in state["peak_kb"].items()}
    return found | {
        "rounds": state["counts"]["rounds"],
        "events": state["pinned"]["events"],
        "seconds": state["seconds"],
        "workers": state["worker_seconds"],
        "busy_of": state["busy_seconds"] | {"main": found["busy"]},
        "peaks": peaks | {"main": found["peak_mb"]},
    }


def some_rounds(home: Path, day: date) -> list[str]:
    """Rounds by chance, each of another table."""
    rng = random.Random(7)
    out = []
    with Archive(home / "archive") as archive:
        tables = sorted(archive.tables_of(day))
        for table in rng.sample(tables, min(PICKED, len(tables))):
            names = archive.read_tables(day, [table], ("round",))["round"].to_pylist()
            out.append(rng.choice(sorted({name for name in names if name})))
    return out


def medians(home: Path, words: list[list[str]]) -> Facts:
    ran = [command(home, *some) for some in words]
    return {name: statistics.median(r[name] for r in ran) for name in ran[0]}


def show(home: Path, day: date, facts: Facts) -> Facts:
    return medians(home, [["show", name] for name in some_rounds(home, day)])


def hands(home: Path, day: date, facts: Facts) -> Facts:
    ask = "SELECT * FROM hands WHERE round = '{}'"
    return medians(home, [["sql", ask.format(name)] for name in some_rounds(home, day)])


def desk(home: Path, day: date, facts: Facts) -> Facts:
    """Printed as it comes: bench/desk.py has a table of its own."""
    subprocess.run([sys.executable, "-m", "bench.desk", "--home", str(home)], cwd=ROOT, check=True)
    return {}


PARTS: dict[str, Callable[[Path, date, Facts], Facts]] = {
    "ingest": ingest,
    "night": night,
    "show": show,
    "hands": hands,
    "desk": desk,
}
WHEN_NAMED = {"desk"}
ELSEWHERE = [
    ("a finding on the live page, 99th percentile", "`python -m bench.watch`", "1 s", "0.3 s"),
    ("a desk page, server time, median", "the part `desk`", "300 ms", "100 ms"),
    ("Spark against local on the same cores", "`python -m bench.engine`", "1.2", "1.1"),
]
"""Budgets that need other things than this home."""
SMALL_DAY = 12_000


def rows(facts: Facts) -> list[tuple[str, str, str, str]]:
    """Part, what was found, what is asked, what is aimed at."""
    per_event = facts["decode"]["per_event"]
    out = [("D, fastavro alone", f"{1 / per_event:,.0f} events/s", "", "")]
    if "ingest" in facts:
        i = facts["ingest"]
        d = i["events"] * per_event
        found = f"{i['busy'] / d:.2f} D, {i['events'] / i['busy']:,.0f} events/s"
        out.append(("ingest, one core", found, "2.0 D", "1.2 D"))
        if "taken_in" in i:
            end = i["busy"] - i["taken_in"]
            parts = f"{i['taken_in'] / d:.2f} D and {end / d:.2f} D, peak {i['peak_mb']:,.0f} MB"
            out.append(("of it taking in, and the end of the day", parts, "", ""))
    if "night" in facts:
        out += _night_rows(facts["night"], per_event)
    for name, what in (("show", "`evenhand show ROUND`"), ("hands", "`hands` of one round by SQL")):
        if name in facts:
            f = facts[name]
            asked, aim = ("0.8 s", "0.4 s") if name == "show" else ("0.5 s", "")
            found = f"{f['wall']:.2f} s, processor {f['busy']:.2f} s"
            out.append((f"{what}, the whole command, median", found, asked, aim))
    return [*out, *ELSEWHERE]


def _night_rows(n: Facts, per_event: float) -> list[tuple[str, str, str, str]]:
    d = n["events"] * per_event
    suites = n["busy_of"].get("great_expectations", 0.0)
    busy = sum(n["busy_of"].values())
    replay, read = n["workers"]["replay"], n["workers"]["read"]
    close = sum(n["seconds"].get(name, 0.0) for name in CLOSE)
    library = n["seconds"].get("great_expectations", 0.0)
    asked = ("10 s", "6 s") if n["rounds"] <= SMALL_DAY else ("", "")  # of 10,800 rounds
    rate = f"{n['rounds'] / replay:,.0f} rounds/s, {n['events'] / replay:,.0f} events/s"
    return [
        ("replay and comparison, one core", f"{replay / d:.2f} D, {rate}", "0.85 D", "0.7 D"),
        ("reading columns, one core", f"{read / d:.2f} D", "", ""),
        ("the night, processor time with suites", f"{busy / d:.2f} D", "1.3 D", "0.6 D"),
        ("the same without suites", f"{(busy - suites) / d:.2f} D", "1.2 D", "0.8 D"),
        ("of it Great Expectations", f"{suites / d:.2f} D, {suites:.1f} s", "", ""),
        ("the close of the day", f"{close:.1f} s", "20 s", "10 s"),
        ("of it waiting for Great Expectations", f"{library:.1f} s", "", ""),
        ("`evenhand nightly`, the whole command", f"{n['wall']:.1f} s", *asked),
    ]


def table(facts: Facts) -> None:
    n = facts.get("night")
    size = f", {n['rounds']:,} rounds, {n['events']:,} events" if n else ""
    print(f"\n{interpreter()}, {cores()} cores{size}\n")
    print("| part | found | asked | aim |\n|---|---|---|---|")
    for row in rows(facts):
        print(f"| {' | '.join(row)} |")
    if n is None:
        return
    print("\n| process of the night | processor time | peak memory |\n|---|---|---|")
    for name, peak in sorted(n["peaks"].items(), key=lambda item: not item[0].isdigit()):
        what = f"worker {name}" if name.isdigit() else name
        print(f"| {what} | {n['busy_of'].get(name, 0.0):.1f} s | {peak:,.0f} MB |")
    stages = ", ".join(f"{name} {n['seconds'].get(name, 0.0):.2f}" for name in CLOSE)
    print(f"\nThe close, seconds: {stages}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--day", type=date.fromisoformat, default=date(2026, 11, 14))
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=1728, help="of each table")
    given = parser.parse_args()
    if unknown := set(given.parts) - {"simulate", *PARTS}:
        parser.error(f"no part {', '.join(sorted(unknown))}; parts: simulate {' '.join(PARTS)}")
    home, named = given.home.absolute(), set(given.parts)
    kept = home / "bench.json"
    facts: Facts = json.loads(kept.read_text("utf-8")) if kept.exists() else {}

    def keep(name: str, found: Facts) -> None:
        facts[name] = found
        kept.write_text(json.dumps(facts, indent=1), "utf-8")

    bytecode_on_the_disk()
    if "simulate" in named or not (home / "log").exists():
        home.mkdir(parents=True, exist_ok=True)
        keep("simulate", simulate(home, given.day, facts, given.tables, given.rounds))
    keep("decode", decode(home))  # beside what it is held against, not from another hour
    for name, part in PARTS.items():
        if name in named or (not named and name not in facts and name not in WHEN_NAMED):
            print(f"{name} ...", file=sys.stderr)
            keep(name, part(home, given.day, facts))
    table(facts)


if __name__ == "__main__":
    main()
