"""The register: every id is asked somewhere, and turning one changes what it says it changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import replay
from checks.golden.judge import answer_of
from replay.registry import IDS, readings, rulebooks
from tests.golden import load_all

SOURCES = Path(replay.__file__).parent


def asked_in_the_code() -> set[str]:
    """Every id that stands as text in the rules and checks."""
    texts = [
        path.read_text("utf-8") for path in SOURCES.rglob("*.py") if path.name != "readings.py"
    ]
    return {word for text in texts for word in re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', text)}


def test_ids_are_unique_and_name_known_rulebooks() -> None:
    for entry in readings().values():
        assert set(entry.rulebooks) <= set(IDS), entry.reading.id
    for book in rulebooks():
        ids = [reading.id for reading in book.readings]
        assert len(ids) == len(set(ids)), book.id


def test_a_reading_names_clauses_of_its_rulebook() -> None:
    for book in rulebooks():
        numbers = {clause.number for clause in book.clauses}
        for reading in book.readings:
            assert set(reading.clauses) <= numbers, (book.id, reading.id)


def test_a_reading_names_one_to_four_clauses_each_once() -> None:
    for book in rulebooks():
        for reading in book.readings:
            assert 1 <= len(reading.clauses) <= 4, (book.id, reading.id)
            assert len(set(reading.clauses)) == len(reading.clauses), (book.id, reading.id)


# A shared question may name the paragraphs of one text; the other texts have numbers of their own.
OWN_NUMBERS = {
    "outcome-established": {
        "pontoon-plus-rws-v5": ("5.4.1", "5.4.2"),
        "blackjack-rws-v5": ("5.4.1", "5.4.2"),
        "three-card-poker-rws-v3": ("5.7.1", "5.7.2"),
    },
    "late-withdrawal": {
        "pontoon-plus-rws-v5": ("5.8", "5.14"),
        "blackjack-rws-v5": ("5.8", "5.14"),
        "three-card-poker-rws-v3": ("5.11", "5.20"),
        "pontoon-pandemonium-rws-v4": ("5.2",),
        "pontoon-mbs-v5": ("5.4",),
    },
    "highest-bet": {"pontoon-plus-rws-v5": ("1.23",), "blackjack-rws-v5": ("1.26",)},
    "doubled-21": {
        "pontoon-plus-rws-v5": ("3.26", "3.25.4", "3.25.5", "3.27.4"),
        "pontoon-pandemonium-rws-v4": ("3.15", "3.14", "3.18.4"),
        "pontoon-mbs-v5": ("3.15", "4.2.1", "4.4.1", "4.5.1"),
    },
    "surrender-in-a-shared-box": {
        "pontoon-plus-rws-v5": ("3.8", "3.18"),
        "blackjack-rws-v5": ("3.8", "3.16"),
        "pontoon-pandemonium-rws-v4": ("3.10",),
        "pontoon-mbs-v5": ("3.10", "3.11.4.1"),
    },
}


@pytest.mark.parametrize("name", sorted(OWN_NUMBERS))
def test_a_shared_reading_has_each_texts_own_numbers(name: str) -> None:
    assert dict(readings()[name].clauses) == OWN_NUMBERS[name]


def test_a_question_has_one_wording() -> None:
    for book in rulebooks():
        for reading in book.readings:
            assert reading._replace(clauses=()) == readings()[reading.id].reading


def test_every_reading_is_asked_somewhere() -> None:
    assert set(readings()) - asked_in_the_code() == set()


ROUNDS = [golden for golden in load_all() if golden.other]


@pytest.mark.parametrize("golden", ROUNDS, ids=[golden.id for golden in ROUNDS])
def test_turning_twice_is_the_default_again(golden) -> None:  # type: ignore[no-untyped-def]
    default = answer_of(golden)
    for reading in golden.other:
        other = answer_of(golden, (reading,))
        back = {line.key: line.money for line in other.lines}
        for key, line in other.turned.get(reading, {}).items():
            if line is None:
                back.pop(key, None)
            else:
                back[key] = line.money
        assert back == {line.key: line.money for line in default.lines}
