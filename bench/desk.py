"""The desk under load: many readers at once while a night is published again and again.

    uv run python -m bench.desk --tables 20 --rounds 200 --readers 50 --seconds 20

Prints for every page the median and the 95th of a hundred of the server's own time (the header
`Server-Timing`), errors, pages that are half of one night and half of another, and the desk's peak
memory. A page is half old where the run that it names is not the one that counted in the catalogue
it was made from.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from events.settings import Settings, load_settings
from pipelines.night.plain import run_day
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.read import open_readonly

DAY = date(2026, 11, 14)
EVENHAND = (sys.executable, "-c", "from pipelines.cli.main import main; main()")


def made_home(home: Path, tables: int, rounds: int) -> Settings:
    """A floor of simulated tables with faults, archived and audited once."""
    env = os.environ | {"EVENHAND_HOME": str(home)}
    size = ["--tables", str(tables), "--rounds", str(rounds), "--faults", "0.006"]
    for words in (["simulate", "--day", DAY.isoformat(), *size], ["ingest"]):
        subprocess.run([*EVENHAND, *words], env=env, check=True)
    settings = load_settings({"home": str(home)})
    run_day(settings, DAY, with_suites=False)
    return settings


def addresses(settings: Settings) -> list[str]:
    with open_readonly(settings.home) as db:
        ((finding, round_, table, dealer, player),) = db.execute(
            "SELECT id, round, table_id, dealer, player FROM findings WHERE player IS NOT NULL "
            "AND dealer IS NOT NULL AND severity = 'money' ORDER BY id LIMIT 1"
        ).fetchall()
    return [
        f"/day/{DAY}", "/findings", "/findings?state=open&sort=money", f"/finding/{finding}",
        f"/round/{round_}", f"/table/{table}", f"/dealer/{dealer}", f"/player/{player}", "/runs",
        "/rulebook/pontoon-plus-rws-v5",
    ]  # fmt: skip


class Readers:
    """Threads that read pages until they are told to end."""

    def __init__(self, base: str, paths: list[str]) -> None:
        self.base, self.paths = base, paths
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.runs: dict[str, set[str]] = defaultdict(set)  # by edition
        self.over, self.lock = threading.Event(), threading.Lock()

    def read(self, first: int) -> None:
        n = first
        while not self.over.is_set():
            path = self.paths[n % len(self.paths)]
            n += 1
            try:
                with urlopen(self.base + path, timeout=60) as answer:
                    text, took = answer.read().decode(), answer.headers["server-timing"]
            except OSError as error:
                with self.lock:
                    self.errors.append(f"{path}: {error}")
                continue
            with self.lock:
                self.times[path].append(float(took.removeprefix("desk;dur=")))
                if path.startswith("/day"):
                    self.runs[_one(r'data-edition="([^"]*)"', text)].add(
                        _one(r'<th scope="row">run</th><td>([\w-]+)', text)
                    )


def _one(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=200, help="of each table")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--home", type=Path, help="an audited home instead of a made one")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-desk-") as folder:
        if args.home:
            settings = load_settings({"home": str(args.home)})
        else:
            settings = made_home(Path(folder) / "home", args.tables, args.rounds)
        told = measure(settings, args.readers, args.seconds)
    print(json.dumps(told, indent=1))


def measure(settings: Settings, readers: int, seconds: float) -> dict[str, Any]:
    """The desk as a process of its own, readers here, and nights between them."""
    env = os.environ | {"EVENHAND_HOME": str(settings.home)}
    command = [*EVENHAND, "desk", "--port", "0"]
    desk = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert desk.stdout is not None
        base = _one(r"(http://\S+?)/\s", desk.stdout.readline() + " ")
        group = Readers(base, addresses(settings))
        threads = [threading.Thread(target=group.read, args=(n,)) for n in range(readers)]
        for thread in threads:
            thread.start()
        began, nights = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            run_day(settings, DAY, with_suites=False)
            nights += 1
        group.over.set()
        for thread in threads:
            thread.join()
    finally:
        desk.terminate()
        desk.wait()
    return {
        "rounds": _count(settings, "SELECT sum(rounds) FROM daily_figures"),
        "findings": _count(settings, "SELECT count(*) FROM findings"),
        "readers": readers,
        "nights published meanwhile": nights,
        "catalogue bytes": warehouse_of(settings.home).catalogue.stat().st_size,
        "pages": sum(map(len, group.times.values())),
        "errors": group.errors[:10],
        "half-old pages": sum(len(runs) > 1 or "none" in runs for runs in group.runs.values()),
        "desk peak MB": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        "ms": {
            path: {
                "median": round(statistics.median(ms), 1),
                "p95": round(_p95(ms), 1),
                "n": len(ms),
            }
            for path, ms in sorted(group.times.items())
        },
    }


def _count(settings: Settings, sql: str) -> int:
    with open_readonly(settings.home) as db:
        return int(db.execute(sql).fetchall()[0][0])


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


if __name__ == "__main__":
    main()
