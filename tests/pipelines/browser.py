"""A page looked at with a real browser: what its console says, and what it fetches."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True, slots=True)
class LookResult:
    """What came of a look."""

    dom: str
    console: list[str]
    fetched: list[str]


def browser() -> str:
    """The browser's program; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is not None:
        return found
    pytest.skip("no browser here: install chromium")


def look(page: Path) -> LookResult:
    """Open a page in a fresh profile and let it settle."""
    with tempfile.TemporaryDirectory() as folder:
        net = Path(folder) / "net.json"
        done = subprocess.run(
            [
                browser(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--enable-logging=stderr",
                f"--user-data-dir={folder}/profile",
                f"--log-net-log={net}",
                "--virtual-time-budget=2000",
                "--dump-dom",
                page.absolute().as_uri(),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
        return LookResult(done.stdout, console, _fetched(net.read_text("utf-8", "replace")))


def _fetched(log: str) -> list[str]:
    """The addresses that the page asked for; the browser's own housekeeping is left out."""
    try:
        content = json.loads(log)
    except ValueError:  # a browser that is stopped early leaves the list open
        content = json.loads(log.rstrip().rstrip(",") + "]}")
    kinds = content["constants"]["logEventTypes"]
    starts = {kinds["URL_REQUEST_START_JOB"]}
    found = []
    for event in content["events"]:
        params = event.get("params", {})
        if event["type"] in starts and str(params.get("initiator", "")) != "not an origin":
            address = str(params.get("url", ""))
            if re.match(r"https?:|wss?:|ftp:", address):
                found.append(address)
    return sorted(set(found))
