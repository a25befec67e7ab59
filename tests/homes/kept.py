"""The homes that earlier versions left, unpacked, with what their code answered on them."""

from __future__ import annotations

import json
import subprocess
import tarfile
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from events.archive.journal import connect_journal, get_about
from tests.investigate.here import evenhand_here

HERE = Path(__file__).parent
NAMES = sorted(p.name.removesuffix(".tar.gz") for p in HERE.glob("*.tar.gz"))


@dataclass(frozen=True)
class KeptHome:
    """One home, in a folder of its own, and its answers."""

    name: str
    home: Path

    @cached_property
    def answers(self) -> dict[str, Any]:
        answers: dict[str, Any] = json.loads((HERE / f"{self.name}.json").read_text("utf-8"))
        return answers

    @cached_property
    def since(self) -> dict[str, Any]:
        """What code of today answers otherwise when it looks anew."""
        path = HERE / f"{self.name}.since.json"
        none = {"findings": {"more": [], "gone": []}, "show": {}, "what_if": {}}
        return none | (json.loads(path.read_text("utf-8")) if path.exists() else {})

    @property
    def archive_format(self) -> int:
        with closing(connect_journal(self.home / "archive" / "journal.sqlite", write=False)) as db:
            return int(get_about(db, "format") or 1)

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """A command on this home, in this process."""
        return evenhand_here(self.home.parent, *args, EVENHAND_HOME=str(self.home))

    def asked(self, *args: str, codes: tuple[int, ...] = (0,)) -> Any:
        """What a command prints as JSON."""
        done = self.run(*args)
        assert done.returncode in codes, done.stderr
        return json.loads(done.stdout)

    def rows(self, sql: str) -> list[list[Any]]:
        return [list(row.values()) for row in self.asked("sql", sql, "--format", "json")]


def unpacked(name: str, folder: Path) -> KeptHome:
    """A fresh copy of a kept home."""
    home = folder / "home"
    with tarfile.open(HERE / f"{name}.tar.gz") as tar:
        tar.extractall(home, filter="data")
    return KeptHome(name, home)
