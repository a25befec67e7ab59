"""One hash over many answers: whether two builds or two commits answer byte for byte the same.

    uv run python -m bench.answers [--rounds N] [--seed S] [--events FILE] [--both]

Every golden round as it is asked, explained, and with each of its readings turned; then N simulated
rounds with faults and irregularities planted, as the night audits them and, every tenth table, as
`evenhand replay --explain` does. The same hash from two builds means the same answers, findings,
explanations and rows of the warehouse. --both asks the compiled rules and the sources, each in a
process of its own, and fails where they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.replay import DAY, simulate, table_days
from checks.audit import audit, audit_file
from checks.golden.load import read_golden
from checks.table_day import audit_table_day
from checks.unreconciled import RAISES
from events.codec import encode_body
from events.jsonl import read_lines
from events.runtime.compiled import SWITCH
from replay.rounds import facts_of

GOLDEN = Path(__file__).parents[1] / "tests" / "replay" / "golden"
TABLES_PER_FLOOR = 50
ROUNDS_PER_FLOOR = 10_000
EXPLAINED = 10  # one table in so many is explained too


def golden_answers() -> Iterator[bytes]:
    for path in sorted(GOLDEN.rglob("*.yaml")):
        for golden in read_golden(path).rounds:
            (facts,) = facts_of(golden.events)
            answer = audit(facts, trace=True)
            yield _bytes(answer.to_json())
            for name in sorted(answer.turned):
                yield _bytes(audit(facts, turned=(name,)).to_json())


def floor_answers(events: Path) -> Iterator[bytes]:
    """Rows as the night makes them, answers as the replay of a file gives them."""
    envelopes = list(read_lines(events.open("rb"), str(events)))
    for day in table_days([encode_body(envelope) for envelope in envelopes]):
        rows = audit_table_day(DAY, day)
        for table in (rows.rounds, rows.lines, rows.settlements, rows.findings):
            yield from (repr(row).encode() for row in table)
    explained = set(sorted({e.table or "" for e in envelopes})[::EXPLAINED])
    for answer in audit_file((e for e in envelopes if e.table in explained), trace=True):
        yield _bytes(answer.to_json())


def _bytes(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode()


def digest(answers: Iterable[bytes]) -> tuple[int, str]:
    """How many there are, and one hash over all, in order."""
    count, whole = 0, hashlib.sha256()
    for answer in answers:
        count += 1
        whole.update(answer + b"\n")
    return count, whole.hexdigest()


def floors(rounds: int, seed: int) -> Iterator[bytes]:
    """Answers of so many simulated rounds, a floor at a time: memory holds no more than one."""
    for part in range(-(-rounds // ROUNDS_PER_FLOOR)):
        left = min(ROUNDS_PER_FLOOR, rounds - part * ROUNDS_PER_FLOOR)
        with tempfile.TemporaryDirectory() as folder:
            events = simulate(
                TABLES_PER_FLOOR,
                -(-left // TABLES_PER_FLOOR),
                Path(folder),
                "--faults=0.3",
                "--irregularities=0.2",
                seed=seed + part,
            )
            yield from floor_answers(events)


def both_builds(words: list[str]) -> None:
    """Print what both builds say of the same rounds; an error where they differ."""
    said = []
    for switch in ("1", "0"):
        command = [sys.executable, "-m", "bench.answers", *words]
        env = {**os.environ, SWITCH: switch, RAISES: "1"}
        done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
        said.append(done.stdout)
        print("compiled" if switch == "1" else "sources", done.stdout, sep="\n", end="")
    if said[0] != said[1]:
        sys.exit("the compiled rules and the sources answer differently")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=Path, help="JSON lines instead of simulated rounds")
    parser.add_argument("--both", action="store_true", help="the compiled rules and the sources")
    options = parser.parse_args()
    if options.both:
        both_builds([word for word in sys.argv[1:] if word != "--both"])
        return
    given: Path | None = options.events
    played = floor_answers(given) if given else floors(options.rounds, options.seed)
    for what, answers in (("golden", golden_answers()), ("simulated", played)):
        count, found = digest(answers)
        print(f"{what:<10}{count:>10,} answers and rows  {found}")


if __name__ == "__main__":
    main()
