"""The real command in a process that may use only so much memory and processor time."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.command import COMMAND, evenhand

MEMORY = 1536 << 20
SECONDS = 60

_CONFINED = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
{COMMAND}
"""


def confined(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Beyond the memory it ends in an error, beyond the time in a signal: neither is a 0, 1 or 2
    with one sentence."""
    return evenhand(folder, *args, code=_CONFINED, OPENBLAS_NUM_THREADS="1")


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """What it said on stderr, where that is one sentence and no failure of ours."""
    assert done.stderr.count("\n") == 1, done.stderr[-2000:]
    for word in ("Traceback", "an error of ours", "out of memory", "MemoryError"):
        assert word not in done.stderr, done.stderr
    return done.stderr
