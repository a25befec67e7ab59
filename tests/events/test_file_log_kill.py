"""Kill -9 at any moment of a write loses nothing that was acknowledged.

A process appends and says after each append how far it got; it is killed at a random moment, and
the next one goes on with the same log. A reader follows through all of it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.log.base import Message
from events.log.files.log import FileLog
from tests.command import ROOT

WRITER = """
import sys
from pathlib import Path
from events.log.base import Outgoing
from events.log.files.log import FileLog

log = FileLog(Path(sys.argv[1]), write=True, segment_messages=700)
n = log.end()[0]
print(n, flush=True)
while True:
    batch = [Outgoing(b"T", f"message {k} ".encode() * (k % 9 + 1)) for k in range(n, n + 97)]
    log.append(batch)
    n += len(batch)
    print(n, flush=True)
"""


def value_of(offset: int) -> bytes:
    return f"message {offset} ".encode() * (offset % 9 + 1)


def write_until_killed(folder: Path, delay_s: float) -> int:
    """The number of messages that were acknowledged when the process died."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(delay_s)
        os.kill(process.pid, signal.SIGKILL)
        # a last line without its end was being printed when the process died
        lines = [first, *process.stdout.read().splitlines(keepends=True)]
    return int([line for line in lines if line.endswith(b"\n")][-1])


def caught_up(following: Iterator[Message | None]) -> list[Message]:
    """What a follower gets until it is idle."""
    out = []
    for message in following:
        if message is None:
            break
        out.append(message)
    return out


def campaign(folder: Path, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    seen: list[Message] = []
    following: Iterator[Message | None] | None = None
    for kill in range(kills):
        where = f"seed {seed}, kill {kill}"
        acknowledged = write_until_killed(folder, rng.uniform(0, 0.06))
        following = following or FileLog(folder).follow({})
        seen += caught_up(following)
        assert len(seen) >= acknowledged, where
        assert [x.offset for x in seen] == list(range(len(seen))), where
    assert all(x.value == value_of(x.offset) and x.damage is None for x in seen)
    assert list(FileLog(folder).read({})) == seen


def test_twenty_kills(tmp_path: Path) -> None:
    campaign(tmp_path, 20, seed=3)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_hundreds_of_kills(tmp_path: Path, seed: int) -> None:
    campaign(tmp_path, 100, seed)
