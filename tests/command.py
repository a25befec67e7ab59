"""Running the real command in a process of its own, with a clean environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


COMMAND = "from pipelines.cli.main import main; main()"


def evenhand(
    folder: Path, *args: str, code: str = COMMAND, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run `evenhand` in a folder; EVENHAND_* variables of this process do not reach it.

    `code`: for what must be set up in the process before the command runs.
    """
    base = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=folder,
        env=base | {"PYTHONPATH": str(ROOT)} | env,
        capture_output=True,
        text=True,
        check=False,
    )
