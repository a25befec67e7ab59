"""A bench measures another commit beside this one, in turns, on the same rounds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT


def bench(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"bench.{name}", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(autouse=True)
def commits() -> None:
    if not Path(ROOT / ".git").exists():
        pytest.skip("another commit comes from git, and these sources are no clone")


@pytest.mark.parametrize(
    ("name", "words", "what"),
    [
        ("replay", "--tables 5 --rounds 4 --passes 1", "replay: columns to rows"),
        ("events", "--rounds 40 --passes 1", "ingest into the archive"),
    ],
)
def test_both_sides_and_their_ratio_are_told(name: str, words: str, what: str) -> None:
    done = bench(name, *words.split(), "--against", "HEAD")
    assert done.returncode == 0, done.stderr
    first, second, ratios = done.stdout.split("\n\n")[-3:]
    assert first.startswith("here: ")
    assert second.startswith("HEAD: ")
    assert first.splitlines()[0][5:] == second.splitlines()[0][5:], "the same events and rounds"
    assert re.search(rf"^{what} .* rounds/s .* events/s +[\d.]+ D$", second, re.MULTILINE)
    assert re.search(rf"^{what} +\d+\.\d\d$", ratios, re.MULTILINE)
    assert re.search(r"CPython [\d.]+ .*PGO", done.stdout)


def test_a_commit_that_does_not_exist_is_one_sentence() -> None:
    done = bench("replay", "--tables", "1", "--rounds", "1", "--against", "no-such-commit")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("no commit no-such-commit here: ")
    assert "Traceback" not in done.stderr
