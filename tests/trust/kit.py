"""A house with a witness of its own: what the tests of publication, log and tampering share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from events.archive.heads import day_ends
from events.archive.reader import Archive
from events.checkpoints import checkpoint_days
from events.gateway import Gateway
from events.log.base import Outgoing
from events.trust.house import house_signer
from events.trust.note import VerifierKey
from events.trust.witness import new_witness
from pipelines.night.plain import run_day
from tests.command import COMMAND, ROOT
from tests.pipelines.kit import DAY, MORNING, TABLE, played, sent, settings_of, won_round

NEXT = DAY + timedelta(days=1)
BAD = Outgoing(TABLE.encode(), b"no event at all")


def two_days(winnings: int = 5000, rounds: int = 3) -> list[Outgoing]:
    """A table's rounds on two days, the first one paid too much, and what nobody can read."""
    gateway = Gateway(TABLE)
    first = played([won_round(0, winnings), *(won_round(n) for n in range(1, rounds))], gateway)
    later = [won_round(n) for n in range(rounds, rounds + 2)]
    return [*first, BAD, *played(later, gateway, MORNING + timedelta(days=1))]


def take_and_seal(home: Path, messages: Sequence[Outgoing]) -> None:
    """Into the archive, and a checkpoint for each day that is over."""
    sent(home, messages)
    with Archive(home / "archive") as archive:
        days = archive.days(complete=True)
    checkpoint_days(home / "checkpoints.jsonl", days, lambda day: day_ends(home / "archive", day))


def audit(home: Path, *days: date) -> None:
    for day in days:
        run_day(settings_of(home), day, with_suites=False)


@dataclass(frozen=True)
class RunningWitness:
    """A witness that runs: its folder, address and key, and what it says."""

    folder: Path
    url: str
    key: VerifierKey

    def setting(self) -> str:
        return f'[witnesses.regulator]\nurl = "{self.url}"\nkey = "{self.key}"\n'


@contextmanager
def witness_process(folder: Path, house: VerifierKey) -> Iterator[RunningWitness]:
    """A real process with a state of its own."""
    key = new_witness(folder, "regulator.example/w1", [house])
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "witness", "run", str(folder), "--port", "0"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        yield RunningWitness(folder, found[0], key)
    finally:
        process.terminate()
        process.wait()


def witnessed_house(home: Path, witness: RunningWitness) -> None:
    """The house's settings name its witness."""
    (home / "evenhand.toml").write_text(witness.setting(), "utf-8")


def house_key(home: Path) -> VerifierKey:
    home.mkdir(parents=True, exist_ok=True)
    return house_signer(home).verifier
