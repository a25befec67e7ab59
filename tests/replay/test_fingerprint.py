"""A rulebook's fingerprint changes with all that settles its rounds, and with nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replay.registry import rulebooks
from replay.sources import settling_modules
from tests.command import ROOT

EDIT = """
import json, sys
from pathlib import Path
from replay import fingerprint, sources
from replay.registry import IDS

def marks():
    fingerprint.fingerprint.cache_clear()
    sources.settling_modules.cache_clear()
    return {book: fingerprint.fingerprint(book) for book in IDS}

before, changed = marks(), {}
for path in sorted(Path("replay").rglob("*.py")):
    text = path.read_text("utf-8")
    path.write_text(text + "\\nEDITED = 1\\n", "utf-8")
    after = marks()
    path.write_text(text, "utf-8")
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    changed[name] = sorted(book for book in IDS if after[book] != before[book])
assert marks() == before
print(json.dumps(changed))
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """For each module of a copy of `replay`: whose fingerprint an edit of it changes."""
    folder = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "replay", folder / "replay", ignore=skip)
    shutil.copytree(ROOT / "events", folder / "events", ignore=skip)
    done = subprocess.run(
        [sys.executable, "-c", EDIT],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[str]] = json.loads(done.stdout)
    return answer


def test_an_edit_of_what_settles_changes_the_fingerprint(changed: dict[str, list[str]]) -> None:
    for book in rulebooks():
        for module in settling_modules(book.package):
            assert book.id in changed[module], f"{module} settles {book.id} and does not show"


NAMED = "lines stakes grounds setup engine fold facts cut rules cards columns answer findings"


def test_what_every_game_passes_through_is_in_every_fingerprint(
    changed: dict[str, list[str]],
) -> None:
    everybody = sorted(book.id for book in rulebooks())
    assert {name: changed[f"replay.{name}"] for name in NAMED.split()} == dict.fromkeys(
        NAMED.split(), everybody
    )


def test_a_rulebook_is_not_changed_by_the_rules_of_another(changed: dict[str, list[str]]) -> None:
    for book in rulebooks():
        own = [name for name in changed if name.startswith(f"{book.package}.")]
        assert own
        assert all(changed[name] in ([book.id], []) for name in own)
    assert "three-card-poker-rws-v3" not in changed["replay.twentyone.table"]


def test_every_module_of_a_rulebook_settles(changed: dict[str, list[str]]) -> None:
    """A module in a rulebook's folder that nothing reaches would be changed unnoticed."""
    idle = [
        name
        for name, books in changed.items()
        if not books and name.startswith("replay.rulebooks.") and _has_code(name)
    ]
    assert idle == []


def _has_code(module: str) -> bool:
    place = ROOT / module.replace(".", "/")
    if place.is_dir():
        return False
    return bool(Path(f"{place}.py").read_text("utf-8").strip())
