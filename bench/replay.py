"""What the replay costs: columns in, fold, settle, legality and comparison, findings out.

    uv run python -m bench.replay [--tables N] [--rounds N] [--profile]

Simulated tables of all five games with irregularities as on a real floor. The yardstick is D, the
time that fastavro alone needs to decode the same events on one core; budget 1.0 D, aim 0.5 D. The
best of three passes counts. The trace is measured too: it must cost nothing when nobody asks.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from fastavro import schemaless_reader

from checks.audit import audit
from checks.table_day import audit_table_day
from events.archive.columns import in_order, records_to_table
from events.archive.evidence import StoredMessage
from events.codec import current_schema, decode_body, encode_body, hash_body
from events.jsonl import read_lines
from replay.columns import rounds_of

DAY = date(2026, 11, 15)


def simulate(tables: int, rounds: int, folder: Path, *more: str, seed: int = 1) -> Path:
    """The events of a small floor as JSON lines."""
    out = folder / "floor.jsonl"
    code = "from pipelines.cli.main import main; main()"
    command = [sys.executable, "-c", code, "simulate"]
    command += ["--tables", str(tables), "--rounds", str(rounds), "--seed", str(seed), *more]
    command += ["--jsonl", str(out), "--day", DAY.isoformat()]
    env = {**os.environ, "EVENHAND_HOME": str(folder / "home")}
    subprocess.run(command, check=True, env=env)
    return out


def table_days(bodies: list[bytes]) -> list[pa.Table]:
    """The archive's columns, one table of the floor each."""
    records = [decode_body(body, current_schema()) for body in bodies]
    places = [StoredMessage("bench", 0, n, None, body) for n, body in enumerate(bodies)]
    whole = in_order(records_to_table(DAY, records, [hash_body(b) for b in bodies], places))
    names = whole.column("table_id").cast(pa.string())
    return [whole.filter(pc.equal(names, name)) for name in pc.unique(names).to_pylist()]


def best(work: Callable[[], Any], passes: int = 3) -> float:
    times = []
    for _ in range(passes):
        start = time.process_time()  # of this process: other work on the machine does not count
        work()
        times.append(time.process_time() - start)
    return min(times)


def decode_all(bodies: list[bytes]) -> None:
    schema = current_schema().parsed
    for body in bodies:
        schemaless_reader(io.BytesIO(body), schema)


def show(name: str, seconds: float, d: float, rounds: int) -> None:
    per_second = rounds / seconds
    print(f"{name:<34}{seconds:8.2f} s {per_second:12,.0f} rounds/s {seconds / d:8.2f} D")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=800)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as folder:
        path = simulate(options.tables, options.rounds, Path(folder))
        bodies = [encode_body(event) for event in read_lines(path.open("rb"), str(path))]
    days = table_days(bodies)
    facts = [round_ for day in days for round_ in rounds_of(day)]
    count = len(facts)
    d = best(lambda: decode_all(bodies))
    print(f"{len(bodies):,} events, {count:,} rounds; D = {len(bodies) / d:,.0f} events/s")
    show("D: fastavro alone", d, d, count)
    whole = best(lambda: [audit_table_day(DAY, day) for day in days])
    show("replay: columns to rows", whole, d, count)
    show("  of it columns and fold", best(lambda: [rounds_of(day) for day in days]), d, count)
    show("  of it settle and compare", best(lambda: [audit(f) for f in facts]), d, count)
    traced = best(lambda: [audit(f, trace=True) for f in facts])
    show("settle and compare, with the trace", traced, d, count)
    print(f"budget 1.00 D, aim 0.50 D, found {whole / d:.2f} D")
    if options.profile:
        profile = cProfile.Profile()
        profile.runcall(lambda: [audit_table_day(DAY, day) for day in days])
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
