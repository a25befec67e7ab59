"""The commands that README and docs show: in shell blocks, and in the text as `evenhand ...`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tests.command import ROOT

PAGES = [
    p.relative_to(ROOT)
    for p in (ROOT / "README.md", ROOT / "infra/README.md", *sorted(ROOT.glob("docs/*.md")))
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(
    r"^ {4,}(?:\$ )?((?:[A-Z_]+=\S+ )?(?:evenhand|uv run|pip|python) .*)$", re.MULTILINE
)
SPAN = re.compile(r"`((?:uv run )?evenhand [a-z][^`]*)`", re.DOTALL)
VARIABLE = re.compile(r"^[A-Z_]+=\S+$")


@dataclass(frozen=True)
class DocsCommand:
    """A command as a page shows it."""

    page: Path
    text: str

    @property
    def words(self) -> list[str]:
        """As the shell takes it apart, without the comment behind it."""
        text = self.text.replace("$(date +%F)", date.today().isoformat())
        return shlex.split(text, comments=True)

    @property
    def plain(self) -> str:
        """Without variables and `uv run` before it and the comment behind it."""
        return " ".join(w for w in self.words if not VARIABLE.match(w)).removeprefix("uv run ")


def shown_on(page: Path) -> list[DocsCommand]:
    """Every command of a page, once, in its order: blocks and text come as they stand."""
    text = (ROOT / page).read_text("utf-8")
    found = sorted([*_of_blocks(text), *_indented(text), *_spans(text)], key=lambda f: f[0])
    return list(dict.fromkeys(DocsCommand(page, command) for _, command in found))


def _of_blocks(text: str) -> Iterator[tuple[int, str]]:
    for block in BLOCK.finditer(text):
        body = block[2].replace("\\\n", " ")
        lines = [line for line in body.splitlines() if line.strip()]
        if block[1] == "sh":
            yield from ((block.start(), line) for line in lines)
        elif not block[1]:  # what somebody saw on a terminal
            yield from ((block.start(), line[2:]) for line in lines if line.startswith("$ "))


def _indented(text: str) -> Iterator[tuple[int, str]]:
    without = BLOCK.sub(lambda block: "x" * len(block[0]), text)  # each in its place
    return ((found.start(), found[1]) for found in INDENTED.finditer(without))


def _spans(text: str) -> Iterator[tuple[int, str]]:
    return ((found.start(), " ".join(found[1].split())) for found in SPAN.finditer(text))
