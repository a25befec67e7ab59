"""What it costs to find one round of a large day, replay it and show it.

    uv run python -m bench.show --tables 100 --rounds 200      # makes a day, then measures
    uv run python -m bench.show --home .evenhand               # on a house that is there

The yardstick is reading the day's evidence from end to end, which is what a search without an index
would do. Rounds are picked by chance, by seed; times are medians of one process that has everything
imported, and the first round apart, because that is what an investigator waits for.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from events.archive.evidence import EvidenceFile
from events.archive.finder import find_round
from events.archive.journal import segments_of
from events.archive.reader import Archive
from pipelines.investigate.case import investigate
from pipelines.investigate.locate import in_archive
from pipelines.investigate.neighbours import Premises
from pipelines.investigate.page.html import page

ZONE = ZoneInfo("Asia/Singapore")


def make_day(home: Path, tables: int, rounds: int) -> None:
    """A simulated day through log and ingest, by the commands."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    env["EVENHAND_HOME"] = str(home)
    run = [sys.executable, "-c", "from pipelines.cli.main import main; main()"]
    day = ["--tables", str(tables), "--rounds", str(rounds), "--day", "2026-11-14"]
    subprocess.run([*run, "simulate", *day], env=env, check=True)
    subprocess.run([*run, "ingest"], env=env, check=True)


def some_rounds(archive: Archive, count: int) -> list[str]:
    """Rounds by chance out of the largest day."""
    day = max(archive.days(), key=lambda d: int(archive.manifest(d)["events"]))
    rng = random.Random(7)
    tables = list(archive.tables_of(day))
    picked = rng.sample(tables, min(count, len(tables)))
    out = []
    for table in picked:
        column = archive.read_tables(day, [table], ("round",))["round"]
        ids = sorted({r for r in column.to_pylist() if r})
        out.append(rng.choice(ids))
    return out


def scan(archive: Archive) -> int:
    """Every message of the evidence, once."""
    count = 0
    for row in segments_of(archive.db, "1 = 1"):
        with EvidenceFile(archive.layout.file(row.day, row.name)) as file:
            count += sum(len(block.messages) for block in file.blocks(0, row.length))
    return count


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure(root: Path, count: int) -> None:
    with Archive(root) as archive:
        rounds = some_rounds(archive, count)
        begun = time.perf_counter()
        events = scan(archive)
        whole = time.perf_counter() - begun
        premises = Premises(
            archive, root.parent, root.parent / "checkpoints.jsonl", root.parent / "tables.toml"
        )
        found = [timed(lambda r=r: find_round(archive, r)) for r in rounds]
        located = [timed(lambda r=r: in_archive(premises, r)) for r in rounds]
        cases = [in_archive(premises, r) for r in rounds]
        replayed = [timed(lambda c=c: investigate(c)) for c in cases]
        done = [investigate(c) for c in cases]
        drawn = [timed(lambda d=d: page(d, ZONE)) for d in done]
    print(f"{events:,} events in the archive; reading them all: {whole:.2f} s")
    print(f"{len(rounds)} rounds by chance      median        most   of a scan")
    for name, times in (
        ("found by the index", found),
        ("with its neighbours", located),
        ("replayed, explained", replayed),
        ("drawn as a page", drawn),
    ):
        middle = statistics.median(times)
        print(
            f"{name:<22} {middle * 1e3:8.1f} ms {max(times) * 1e3:8.1f} ms  1/{whole / middle:,.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--picked", type=int, default=30)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder) / "home"
        if given.home is None:
            make_day(home, given.tables, given.rounds)
        measure(home / "archive", given.picked)


if __name__ == "__main__":
    main()
