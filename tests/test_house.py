"""What tests/conftest.py promises: one answer, a seed that is told, and no silent skip on CI."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT

SKIPS = """
import pytest

def test_a_tool_is_missing():
    pytest.skip("no such tool here")

def test_well():
    pass

@pytest.mark.xfail(reason="known")
def test_known():
    raise AssertionError
"""

DRAWS = """
from hypothesis import given, strategies as st
drawn = []

@given(st.integers(0, 2**64))
def test_draws(n):
    drawn.append(n)

@given(st.integers(0, 2**64))
def test_prints(n):
    if drawn:
        print("DRAWN", len(drawn), sum(drawn))
        drawn.clear()
"""


def run(folder: Path, text: str, *args: str, ci: bool = False) -> subprocess.CompletedProcess[str]:
    (folder / "test_one.py").write_text(text, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = soak: long\n", "utf-8")
    env = {k: v for k, v in os.environ.items() if k != "CI" and not k.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-rA", "-s", *args],
        cwd=folder,
        env=env | {"PYTHONPATH": str(ROOT)} | ({"CI": "true"} if ci else {}),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_skip_fails_where_ci_runs_and_nowhere_else(tmp_path: Path) -> None:
    here = run(tmp_path, SKIPS)
    assert here.returncode == 0, here.stdout
    assert "1 passed, 1 skipped, 1 xfailed" in here.stdout
    there = run(tmp_path, SKIPS, ci=True)
    assert there.returncode == 1, there.stdout
    assert "1 failed, 1 passed, 1 xfailed" in there.stdout
    assert "under CI nothing may be skipped; Skipped: no such tool here" in there.stdout


def test_a_module_that_is_skipped_whole_fails_too(tmp_path: Path) -> None:
    text = 'import pytest\npytest.importorskip("no_such_module_at_all")\n'
    assert run(tmp_path, text).returncode == 5
    assert run(tmp_path, text, ci=True).returncode not in (0, 5)


def drawn(done: subprocess.CompletedProcess[str]) -> tuple[str, str]:
    found = re.search(r"DRAWN (\d+) (\d+)", done.stdout)
    assert found, done.stdout
    return found[1], found[2]


def test_the_suite_draws_the_same_every_time(tmp_path: Path) -> None:
    first = run(tmp_path, DRAWS)
    assert drawn(first) == drawn(run(tmp_path, DRAWS))
    assert "--hypothesis-seed" not in first.stdout


@pytest.mark.parametrize("markexpr", ["soak", "soak and not kafka"])
def test_the_search_draws_anew_and_says_its_seed(tmp_path: Path, markexpr: str) -> None:
    first, second = (run(tmp_path, DRAWS, "-m", markexpr) for _ in range(2))
    assert drawn(first)[0] == "2000"
    assert drawn(first) != drawn(second)
    seed = re.search(r"drawn with (--hypothesis-seed=\d+)", first.stdout)
    assert seed, first.stdout
    assert drawn(run(tmp_path, DRAWS, "-m", markexpr, seed[1])) == drawn(first)


def test_a_class_name_is_one_thing() -> None:
    """Whoever looks for a name by grep finds the thing, in product, benches and tests."""
    where: dict[str, list[str]] = {}
    for room in ("events", "replay", "checks", "pipelines", "bench", "tests", "infra"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    where.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert len(where) > 300
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}
