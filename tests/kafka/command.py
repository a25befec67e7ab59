"""The `evenhand` command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MAIN = "from pipelines.cli.main import main; main()"


def environment(home: Path, address: str, topic: str) -> dict[str, str]:
    """A home, a broker and a topic."""
    return {
        **os.environ,
        "EVENHAND_HOME": str(home),
        "EVENHAND_KAFKA": address,
        "EVENHAND_TOPIC": topic,
        "EVENHAND_DEAD_TOPIC": f"{topic}.dead",
    }


def start(
    home: Path, address: str, *args: str, topic: str = "table.rounds"
) -> subprocess.Popen[str]:
    """Start it; what it prints is read later."""
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *args],
        env=environment(home, address, topic),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def evenhand(
    home: Path, address: str, *args: str, topic: str = "table.rounds"
) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    process = start(home, address, *args, topic=topic)
    out, err = process.communicate()
    return subprocess.CompletedProcess(args, process.returncode, out, err)
