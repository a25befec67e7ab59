"""Twenty thousand mutated files through the commands that open what somebody hands in.

Each gets its exit code and a sentence: no traceback, no hang (by processor time), and the process
has little memory. docs/security.md has the figures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.command import ROOT

INPUTS = 20_000
SOAK_INPUTS = int(os.environ.get("FUZZ_INPUTS", "10000000"))


def _campaign(seed: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.hostile.fuzz", seed, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _outcome(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate()
    assert process.returncode == 0, process.returncode  # a signal: it crashed or ran out
    found: dict[str, Any] = json.loads(out)
    assert found["wrong"] == []
    return found


def test_no_mutated_file_gets_more_than_a_sentence() -> None:
    found = _outcome(_campaign("1", INPUTS))
    assert found["inputs"] == INPUTS
    assert found["peak_mib"] < 1024
    came = found["came"]
    for outcome in ("replay 0", "replay 2", "evidence 0", "evidence 1", "config 0", "waivers 0"):
        assert came[outcome] >= 20, came  # it reaches past the first check, and back
    assert {kind for kind in came if " " not in kind} == {
        "lines", "text", "events", "messages", "container", "zip", "members", "forged",
        "checkpoints", "waivers", "settings",
    }  # fmt: skip


@pytest.mark.soak
def test_ten_million_mutated_files() -> None:
    """A seed of today, printed, on every core; FUZZ_INPUTS asks for fewer."""
    seed = os.environ.get("FUZZ_SEED") or os.urandom(4).hex()
    print(f"FUZZ_SEED={seed}")  # noqa: T201 - so that a failure can be run again
    cores = os.cpu_count() or 1
    running = [_campaign(f"{seed}-{n}", SOAK_INPUTS // cores) for n in range(cores)]
    for process in running:
        _outcome(process)
