"""Two codes measured in one run: another commit, or the compiled rules, beside the sources here.

Each side runs in processes of its own, the sides taking turns, so that whatever else the machine
does falls on both; of each figure the best pass counts. The bench is always the one of this commit,
laid over the other one's packages: only what is measured differs. Both use the libraries that are
installed here.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from events.runtime.compiled import SWITCH, folder_of

ROOT = Path(__file__).parents[1]


class Side(NamedTuple):
    """One code to measure: where it lies, and whether its rules run compiled."""

    name: str
    folder: Path
    compiled: bool = False


class Measured(NamedTuple):
    """What a side took: processor seconds by what was done, D first; and a hash of what it wrote,
    where both sides have to write the same."""

    events: int
    rounds: int
    seconds: dict[str, float]
    written: str = ""

    @property
    def d(self) -> float:
        return next(iter(self.seconds.values()))


def builds() -> list[Side]:
    """The sources here and, where there is one, their compiled build."""
    pure = Side("sources", ROOT)
    return [pure, Side("compiled", ROOT, True)] if folder_of(ROOT).is_dir() else [pure]


@contextmanager
def another(rev: str) -> Iterator[Side]:
    """The packages of another commit in a folder of their own, with this commit's benches."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", rev]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"no commit {rev} here: {done.stderr.decode(errors='replace').strip()}")
    with tempfile.TemporaryDirectory(prefix="evenhand-against-") as name:
        folder = Path(name)
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as packed:
            packed.extractall(folder, filter="data")
        shutil.rmtree(folder / "bench", ignore_errors=True)
        shutil.copytree(ROOT / "bench", folder / "bench")
        yield Side(rev, folder)


def in_turns(
    sides: Sequence[Side], bench: str, words: Sequence[str], passes: int
) -> list[Measured]:
    """`python -m bench.NAME --once WORDS` of every side in turn, so many times."""
    best: list[Measured | None] = [None] * len(sides)
    for _ in range(passes):
        for place, side in enumerate(sides):
            found = _once(side, bench, words)
            before = best[place]
            if before is not None:
                least = {k: min(v, before.seconds[k]) for k, v in found.seconds.items()}
                found = found._replace(seconds=least)
            best[place] = found
    return [found for found in best if found is not None]


def _once(side: Side, bench: str, words: Sequence[str]) -> Measured:
    env = os.environ | {SWITCH: "1" if side.compiled else "0", "PYTHONPATH": str(side.folder)}
    command = [sys.executable, "-m", f"bench.{bench}", "--once", *words]
    done = subprocess.run(
        command, cwd=side.folder, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = (done.stderr.strip() or "no word on stderr").splitlines()[-1]
        sys.exit(f"bench.{bench} does not run on {side.name}: {last}")
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Measured(**said)


def told(measured: Measured) -> None:
    """For `--once`: what was measured, for the process that asked."""
    print(json.dumps(measured._asdict()))


def show(side: Side, measured: Measured) -> None:
    """A side's figures, each as a multiple of its own D."""
    events, rounds, seconds, _ = measured
    print(f"\n{side.name}: {events:,} events, {rounds:,} rounds")
    for what, took in seconds.items():
        rates = f"{rounds / took:10,.0f} rounds/s {events / took:12,.0f} events/s"
        print(f"{what:<36}{took:8.2f} s {rates} {took / measured.d:8.2f} D")


def show_ratios(sides: Sequence[Side], measured: Sequence[Measured]) -> None:
    """The first side against the second: below 1 it is the quicker one. D shows how far a ratio can
    be trusted: on both sides it is the same work."""
    here, there = measured
    print(f"\n{sides[0].name} against {sides[1].name}, seconds of the one over the other's")
    for what, took in here.seconds.items():
        print(f"{what:<36}{took / there.seconds[what]:8.2f}")
