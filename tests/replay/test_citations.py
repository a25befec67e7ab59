"""No line of any golden round cites a paragraph on something that did not happen."""

from __future__ import annotations

import pytest

from bench.citations import ONLY_WHERE, cited_in_vain
from checks.golden.judge import answer_of
from checks.golden.load import Golden
from tests.golden import load_all

ROUNDS = load_all()


@pytest.mark.parametrize("rulebook", list(ONLY_WHERE))
def test_nothing_is_cited_in_vain(rulebook: str) -> None:
    rounds: list[Golden] = [golden for golden in ROUNDS if golden.rulebook == rulebook]
    assert [v for golden in rounds for v in cited_in_vain(golden, answer_of(golden))] == []


@pytest.mark.parametrize("rulebook", list(ONLY_WHERE))
def test_each_of_those_paragraphs_is_cited_somewhere(rulebook: str) -> None:
    cited = {
        clause
        for golden in ROUNDS
        if golden.rulebook == rulebook
        for line in answer_of(golden).lines
        for clause in line.clauses
    }
    assert set(ONLY_WHERE[rulebook]) <= cited
