"""The desk under load: many readers at once while nights are published.

    uv run python -m bench.desk --tables 20 --rounds 200 --readers 50 --seconds 20
    uv run python -m bench.desk --home HOME --readers 50 --seconds 60

Prints for every page the median and the 95th of a hundred of the server's own time (the header
`Server-Timing`): asked by one reader alone, by readers who look at each page for --look seconds,
and by readers who ask again at once, which is as much as the machine gives and nothing but waiting
for each other. Besides: errors, pages that are half of one night and half of another, and the
desk's peak memory. A page is half old where the run that it names is not the one that counted in
the catalogue it was made from.

HOME is not touched: its copy has the same columns under second names, and a small day of its own
whose night is published again and again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench.rounds import START, play
from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.gateway import Gateway
from events.log.files.log import FileLog
from events.settings import Settings, load_settings
from pipelines.night.plain import run_day
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.read import open_readonly
from pipelines.warehouse.upgrade import upgrade_warehouse

DAY = date(2026, 11, 14)
EVENHAND = (sys.executable, "-c", "from pipelines.cli.main import main; main()")
NEVER_WRITTEN_AGAIN = ".parquet"
"""Files that a copy may share; evidence is added to the end of a segment."""
ALONE_TIMES = 11
SMALL_TABLE, SMALL_ROUNDS = "BENCH-01", 40


def with_day(home: Path, day: date, tables: int, rounds: int) -> Settings:
    """A simulated day with faults, archived and audited once."""
    env = os.environ | {"EVENHAND_HOME": str(home)}
    size = ["--tables", str(tables), "--rounds", str(rounds), "--faults", "0.006"]
    for words in (["simulate", "--day", day.isoformat(), *size], ["ingest"]):
        subprocess.run([*EVENHAND, *words], env=env, check=True, stdout=sys.stderr)
    settings = load_settings({"home": str(home)})
    run_day(settings, day, with_suites=False)
    return settings


def copy_of(home: Path, copy: Path) -> tuple[Settings, date]:
    """A home with the same rows, and a small day of one table that is published again and again.
    The log, to which a copy would have to add, is left out."""

    def place(source: str, target: str) -> None:
        if source.endswith(NEVER_WRITTEN_AGAIN):
            os.link(source, target)
        else:
            shutil.copy2(source, target)

    left_out = shutil.ignore_patterns("log", "kafka", "dagster", "watch", "*.pid")
    shutil.copytree(home, copy, copy_function=place, ignore=left_out)
    upgrade_warehouse(warehouse_of(copy))
    with open_readonly(copy) as db:
        ((last,),) = db.execute("SELECT max(day) FROM runs WHERE current").fetchall()
    settings, day = load_settings({"home": str(copy)}), last + timedelta(days=1)
    later = settings.gaming_day.start_of(day) - START
    gateway = Gateway(SMALL_TABLE)
    log = FileLog(copy / "small", write=True)
    try:
        log.append(
            [
                gateway.send(event, at=at + later, device=device, round_=f"{round_}-{day}")
                for round_, device, at, event in play(SMALL_TABLE, SMALL_ROUNDS)
            ]
        )
        with ArchiveWriter(copy / "archive", settings.gaming_day) as archive:
            ingest(log, archive)
    finally:
        log.close()
    run_day(settings, day, with_suites=False)
    return settings, day


def addresses(settings: Settings, small: date) -> list[str]:
    """A page of each kind, of the day with the most findings; and the day that changes."""
    with open_readonly(settings.home) as db:
        ((day,),) = db.execute(
            "SELECT day FROM findings GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
        ).fetchall()
        ((finding, round_, table, dealer, player),) = db.execute(
            "SELECT id, round, table_id, dealer, player FROM findings WHERE player IS NOT NULL "
            "AND dealer IS NOT NULL AND severity = 'money' AND day = ? ORDER BY id LIMIT 1",
            [day],
        ).fetchall()
    found = [
        f"/day/{day}", "/findings", "/findings?state=open&sort=money", f"/finding/{finding}",
        f"/round/{round_}", f"/table/{table}", f"/dealer/{dealer}", f"/player/{player}", "/runs",
        "/rulebook/pontoon-plus-rws-v5", "/sql?query=money-by-kind", "/days", f"/day/{small}",
    ]  # fmt: skip
    return list(dict.fromkeys(found))


class Readers:
    """Threads that read pages until they are told to end."""

    def __init__(self, base: str, paths: list[str], look_s: float) -> None:
        self.base, self.paths, self.look_s = base, paths, look_s
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.runs: dict[str, set[str]] = defaultdict(set)  # by edition and day
        self.over, self.lock = threading.Event(), threading.Lock()

    def read(self, first: int) -> None:
        n = first
        self.over.wait(self.look_s * (first % 50) / 50)
        while not self.over.is_set():
            self.ask(self.paths[n % len(self.paths)])
            n += 1
            self.over.wait(self.look_s)

    def ask(self, path: str) -> None:
        try:
            with urlopen(self.base + path, timeout=60) as answer:
                text, took = answer.read().decode(), answer.headers["server-timing"]
        except OSError as error:
            with self.lock:
                self.errors.append(f"{path}: {error}")
            return
        with self.lock:
            self.times[path].append(float(took.removeprefix("desk;dur=")))
            if path.startswith("/day/"):
                edition = _one(r'data-edition="([^"]*)"', text)
                run = _one(r'<th scope="row">run</th><td>([\w-]+)', text)
                self.runs[edition + path].add(run)

    def told(self) -> dict[str, Any]:
        return {
            "pages": sum(map(len, self.times.values())),
            "errors": self.errors[:10],
            "half-old pages": sum(len(runs) > 1 or "none" in runs for runs in self.runs.values()),
            "ms": {
                path: {
                    "median": round(statistics.median(ms), 1),
                    "p95": round(sorted(ms)[int(len(ms) * 0.95)], 1),
                    "n": len(ms),
                }
                for path, ms in sorted(self.times.items())
            },
        }


def _one(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else "none"


@contextmanager
def desk_at(home: Path) -> Iterator[tuple[str, int]]:
    """The desk as a process of its own: its address, and the process."""
    env = os.environ | {"EVENHAND_HOME": str(home)}
    command = [*EVENHAND, "desk", "--port", "0"]
    desk = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert desk.stdout is not None
        yield _one(r"(http://\S+?)/\s", desk.stdout.readline() + " "), desk.pid
    finally:
        desk.terminate()
        desk.wait()


def crowd(group: Readers, readers: int, settings: Settings, day: date, seconds: float) -> int:
    """Readers for so long, and nights of the day meanwhile; how many."""
    threads = [threading.Thread(target=group.read, args=(n,)) for n in range(readers)]
    for thread in threads:
        thread.start()
    began, nights = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        run_day(settings, day, with_suites=False)
        nights += 1
    group.over.set()
    for thread in threads:
        thread.join()
    return nights


def measure(
    settings: Settings, day: date, readers: int, seconds: float, look_s: float
) -> dict[str, Any]:
    paths = addresses(settings, day)
    told: dict[str, Any] = {
        "rounds": _count(settings, "SELECT sum(rounds) FROM daily_figures"),
        "findings": _count(settings, "SELECT count(*) FROM findings"),
        "catalogue bytes": warehouse_of(settings.home).catalogue.stat().st_size,
        "readers": readers,
    }
    with desk_at(settings.home) as (base, pid):
        one = Readers(base, paths, 0)
        for _ in range(ALONE_TIMES):
            for path in paths:
                one.ask(path)
        told["one reader alone"] = one.told()
        for name, pause in ((f"each page looked at for {look_s:g} s", look_s), ("no pause", 0.0)):
            group = Readers(base, paths, pause)
            nights = crowd(group, readers, settings, day, seconds)
            told[f"{readers} readers, {name}"] = {"nights published": nights, **group.told()}
        told["desk peak MB"] = _peak_kb(pid) // 1024
    return told


def _peak_kb(pid: int) -> int:
    return int(_one(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text("utf-8")))


def _count(settings: Settings, sql: str) -> int:
    with open_readonly(settings.home) as db:
        return int(db.execute(sql).fetchall()[0][0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=200, help="of each table")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--look", type=float, default=2.0, help="seconds at each page")
    parser.add_argument("--home", type=Path, help="an audited home instead of a made one")
    args = parser.parse_args()
    beside = None if args.home is None else args.home.absolute().parent  # links stay on one disk
    with tempfile.TemporaryDirectory(prefix="bench-desk-", dir=beside) as folder:
        home = Path(folder) / "home"
        if args.home:
            settings, day = copy_of(args.home, home)
        else:
            settings, day = with_day(home, DAY, args.tables, args.rounds), DAY
        told = measure(settings, day, args.readers, args.seconds, args.look)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
