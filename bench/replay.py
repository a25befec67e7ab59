"""What the replay costs: columns in, fold, settle, legality and comparison, findings out.

    uv run python -m bench.replay [--tables N] [--rounds N] [--against REV] [--profile]

Simulated tables of all five games with irregularities as on a real floor. The yardstick is D, the
time that fastavro alone needs to decode the same events on one core. The sources and, where there
is a build of them, the compiled rules are measured in one run, taking turns; the best pass counts.
The trace is measured too: it must cost nothing when nobody asks. With --against the sources of this
commit and of another take turns, so that a loss of speed is seen as a ratio.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from bench.sides import (
    ROOT,
    Measured,
    Side,
    another,
    builds,
    in_turns,
    show,
    show_ratios,
    told,
)
from bench.yardstick import PASSES, best, decode_all, interpreter
from checks.audit import audit
from checks.table_day import audit_table_day
from events.archive.columns import in_order, records_to_table
from events.archive.evidence import StoredMessage
from events.codec import current_schema, decode_body, encode_body, hash_body
from events.jsonl import read_lines
from replay.columns import rounds_of

DAY = date(2026, 11, 15)
WHOLE = "replay: columns to rows"


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


def measure(events: Path, passes: int = PASSES) -> Measured:
    """Everything in this process, by the rules that it runs."""
    bodies = [encode_body(event) for event in read_lines(events.open("rb"), str(events))]
    days = table_days(bodies)
    facts = [round_ for day in days for round_ in rounds_of(day)]
    work: dict[str, Callable[[], object]] = {
        "D: fastavro alone": lambda: decode_all(bodies),
        WHOLE: lambda: [audit_table_day(DAY, day) for day in days],
        "  of it columns and fold": lambda: [rounds_of(day) for day in days],
        "  of it settle and compare": lambda: [audit(f) for f in facts],
        "settle and compare, with the trace": lambda: [audit(f, trace=True) for f in facts],
    }
    seconds = {what: best(one, passes) for what, one in work.items()}
    return Measured(len(bodies), len(facts), seconds)


def profile(events: Path) -> None:
    bodies = [encode_body(event) for event in read_lines(events.open("rb"), str(events))]
    days = table_days(bodies)
    found = cProfile.Profile()
    found.runcall(lambda: [audit_table_day(DAY, day) for day in days])
    pstats.Stats(found).sort_stats("tottime").print_stats(25)


def compare(sides: list[Side], events: Path, passes: int) -> None:
    """Print every side, and two commits against each other."""
    print(interpreter())
    found = in_turns(sides, "replay", ["--events", str(events)], passes)
    for side, measured in zip(sides, found, strict=True):
        show(side, measured)
        asked, aim = (0.55, 0.3) if side.compiled else (0.85, 0.7)
        ratio = measured.seconds[WHOLE] / measured.d
        print(f"asked {asked:.2f} D, aim {aim:.2f} D, found {ratio:.2f} D")
    if len(sides) > 1:
        show_ratios(sides, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=800)
    parser.add_argument("--events", type=Path, help="JSON lines instead of simulated rounds")
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--against", metavar="REV", help="another commit, the sources of both")
    parser.add_argument("--once", action="store_true", help="this process alone, as JSON")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as folder:
        events: Path = options.events or simulate(options.tables, options.rounds, Path(folder))
        if options.once:
            told(measure(events, passes=1))
        elif options.profile:
            profile(events)
        elif options.against:
            with another(options.against) as other:
                compare([Side("here", ROOT), other], events.absolute(), options.passes)
        else:
            compare(builds(), events.absolute(), options.passes)


if __name__ == "__main__":
    main()
