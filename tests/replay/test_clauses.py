"""Every paragraph of every text is listed, and what settles, checks or voids is really cited."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from checks.golden.judge import answer_of
from replay.registry import IDS, rulebook, rulebooks
from tests.golden import load_all

NUMBERS = Path(__file__).parent / "numbers"

# Clauses that no single round can show: the checks across rounds and tables cite them.
ACROSS_ROUNDS = {
    "three-card-poker-rws-v3": {"1.15", "4.9.1", "5.17.2c"},
}


@pytest.mark.parametrize("book_id", IDS)
def test_every_number_of_the_text_has_its_clause(book_id: str) -> None:
    numbers = (NUMBERS / f"{book_id}.txt").read_text("utf-8").split("\n")
    book = rulebook(book_id)
    assert book is not None
    assert [clause.number for clause in book.clauses] == [n for n in numbers if n]


def test_a_gist_is_one_short_sentence_and_a_reason_stands_only_where_nothing_shows_it() -> None:
    for book in rulebooks():
        for clause in book.clauses:
            assert 5 < len(clause.gist) <= 110, (book.id, clause.number)
            assert (clause.held == "not_observable") == (clause.reason is not None)


@cache
def cited() -> dict[str, set[str]]:
    """What the lines and findings of the golden rounds cite, under both readings."""
    out: dict[str, set[str]] = {}
    for golden in load_all():
        found = out.setdefault(golden.rulebook, set())
        for turned in ((), *((reading,) for reading in golden.other)):
            answer = answer_of(golden, turned)
            for line in answer.lines:
                found.update(line.clauses)
            for finding in answer.findings:
                found.update(finding.clauses)
            if answer.void_clause is not None:
                found.add(answer.void_clause)
    return out


@pytest.mark.parametrize("book_id", IDS)
def test_what_settles_checks_or_voids_is_cited_by_a_golden_round(book_id: str) -> None:
    book = rulebook(book_id)
    assert book is not None
    held = {c.number for c in book.clauses if c.held in {"settles", "checks", "voids"}}
    assert held - cited()[book_id] - ACROSS_ROUNDS.get(book_id, set()) == set()


@pytest.mark.parametrize("book_id", IDS)
def test_nothing_is_cited_that_the_text_does_not_have(book_id: str) -> None:
    book = rulebook(book_id)
    assert book is not None
    known = {clause.number for clause in book.clauses}
    borrowed = {clause for clause in cited()[book_id] if clause.startswith("RWS ")}
    assert cited()[book_id] - known - borrowed == set()
