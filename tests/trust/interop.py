"""Go programs that check our signatures and proofs: built once, where Go is there and can."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

HERE = Path(__file__).parent


@cache
def built(name: str) -> Path | str:
    """The program, or why there is none."""
    go = shutil.which("go")
    if go is None:
        return "no Go on this machine"
    out = Path(mkdtemp()) / name
    done = subprocess.run(
        [go, "build", "-mod=readonly", "-o", str(out), "."],
        cwd=HERE / name,
        capture_output=True,
        text=True,
        check=False,
    )
    return out if done.returncode == 0 else f"Go can't build {name}: {done.stderr[-300:]}"


def ask(name: str, **given: Any) -> subprocess.CompletedProcess[str]:
    program = built(name)
    if isinstance(program, str):
        pytest.skip(program)
    return subprocess.run(
        [str(program)], input=json.dumps(given), capture_output=True, text=True, check=False
    )
