"""Every golden round: status, lines, clauses, readings and findings as the text gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.golden.judge import differences
from checks.golden.load import Golden, read_golden
from replay.registry import rulebook
from tests.golden import GOLDEN, load_all

ROUNDS = load_all()


@pytest.mark.parametrize("golden", ROUNDS, ids=[golden.id for golden in ROUNDS])
def test_golden_round(golden: Golden) -> None:
    assert differences(golden) == []


FILES = sorted(GOLDEN.rglob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=[f"{p.parent.name} {p.stem}" for p in FILES])
def test_a_file_says_who_worked_it_out_when_and_from_which_paragraphs(path: Path) -> None:
    file = read_golden(path)
    book = rulebook(file.rounds[0].rulebook)
    assert book is not None
    assert file.by
    assert file.on is not None
    assert file.paragraphs
    assert set(file.paragraphs) <= {clause.number for clause in book.clauses}
