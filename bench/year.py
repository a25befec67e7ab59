"""What a year in the warehouse costs: 365 copies of one day, its catalogue and some questions.

    uv run python -m bench.year [--tables N] [--rounds N] [--folder DIR]

The copies are second names of the same files, so the disk is that of one day times 365; what is
measured is the catalogue over them. A casino-day has 864,000 rounds; the figures per round are
multiplied, and the output says so.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.nightly import DAY, fill
from events.settings import load_settings
from pipelines.night.plain import run_day
from pipelines.warehouse.catalogue import Published, build
from pipelines.warehouse.layout import RunFolder, warehouse_of
from pipelines.warehouse.read import open_readonly

CASINO_ROUNDS = 864_000
DAYS = 365

QUESTIONS = {
    "findings of a day by kind": "SELECT kind, count(*), sum(money) FROM findings "
    "WHERE day = DATE '2026-03-01' GROUP BY kind",
    "findings of the year by kind": "SELECT kind, count(*), sum(money) FROM findings GROUP BY kind",
    "one day's lines by bet": "SELECT bet, count(*), sum(winnings) FROM lines "
    "WHERE day = DATE '2026-03-01' GROUP BY bet",
    "one round's events": "SELECT * FROM events WHERE day = DATE '2026-03-01' "
    "AND round = 'RWS-PP-01-20260310-000050'",
    "a month's lines by bet": "SELECT bet, count(*), sum(winnings) FROM lines "
    "WHERE day BETWEEN DATE '2026-02-01' AND DATE '2026-02-28' GROUP BY bet",
    "the year's rounds by status": "SELECT status, count(*) FROM rounds GROUP BY status",
    "the year's lines by bet": "SELECT bet, count(*), sum(winnings) FROM lines GROUP BY bet",
}


def copies(folder: RunFolder, home: Path) -> list[Published]:
    """The day under 365 names, the last of them its own."""
    at = datetime(2026, 3, 11, tzinfo=UTC)
    out = []
    for n in range(DAYS):
        day = DAY - timedelta(days=n)
        out.append(Published(day, folder.run, at))
        copy = warehouse_of(home).run_folder(day, folder.run)
        if copy.path != folder.path:
            copy.path.mkdir(parents=True)
            for file in folder.path.iterdir():
                os.link(file, copy.path / file.name)
    return out


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        home = Path(name) / "home"
        settings = load_settings({"home": str(home)}, environ={}, folder=Path(name))
        rounds = fill(settings, args.tables, args.rounds)
        night = run_day(settings, DAY, with_suites=False)
        events = sum(p.stat().st_size for p in night.folder.parts("events"))
        derived = sum(p.stat().st_size for p in night.folder.path.glob("*.parquet")) - events
        factor = CASINO_ROUNDS / rounds
        print(f"a day of {rounds:,} rounds: {derived / rounds:.0f} bytes a round derived, ", end="")
        print(f"{events / rounds:.0f} in events, which are the archive's own files")
        print(f"a casino-day, multiplied: {derived * factor / 1e6:,.0f} MB derived, ", end="")
        print(f"{events * factor / 1e6:,.0f} MB of events")
        print(f"a year of them: {derived * factor * DAYS / 1e9:,.1f} GB derived")
        runs = sorted(copies(night.folder, home), key=lambda p: p.day)
        warehouse = warehouse_of(home)
        spent = timed(lambda: build(warehouse.catalogue, warehouse, runs))
        size = warehouse.catalogue.stat().st_size
        print(f"catalogue of {DAYS} days: built in {spent:.1f} s, {size / 1e6:.1f} MB")
        with open_readonly(home) as db:
            for what, sql in QUESTIONS.items():
                times = [timed(lambda s=sql: db.execute(s).fetchall()) for _ in range(3)]  # type: ignore[misc]
                print(f"  {what:<32}{min(times) * 1000:10.0f} ms")


if __name__ == "__main__":
    main()
