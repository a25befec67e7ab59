"""3 Card Poker: what holds for any card that is moved, worked out from no run.

A card that is moved or taken away though nothing was wrong is a finding and changes no line; an
error that is noted and put right at once changes no line and is none.
"""

from __future__ import annotations

import random

import pytest

from checks.golden.judge import answer_of
from checks.golden.load import load
from replay.answer import Answer
from replay.cards import DECK_52

BOOK = "three-card-poker-rws-v3"
COMPARED = frozenset({"unsettled_bet", "missed_bonus"})
"""Nothing was settled in these rounds."""


class Honest:
    """A round dealt in order, in which everybody looks and plays."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)
        deck = sorted(DECK_52)
        self.rnd.shuffle(deck)
        self.players = range(1, self.rnd.choice((2, 3)) + 1)
        self.ring = [*self.players, 0]
        before = [f"bet {box} P{box} ante 20.00" for box in self.players]
        self.opening = [*before, "close", f"burn {deck.pop()}"]
        self.cards = [(box, deck.pop()) for box in self.ring * 3]
        self.looks = [f"examine {box} P{box}" for box in self.players]
        chips = [(f"play {box} P{box}", f"bet {box} P{box} play 20.00") for box in self.players]
        shown = [f"reveal {box}" for box in (0, *self.players)]
        self.rest = [line for pair in chips for line in pair] + shown

    def deal(self) -> list[str]:
        return [f"deal {box}:{card}-" for box, card in self.cards]

    def play(self) -> list[str]:
        return [*self.opening, *self.deal(), *self.looks, *self.rest]


def answer(play: list[str]) -> Answer:
    case = {"name": "3.10 made up", "play": play, "lines": [], "findings": []}
    return answer_of(load(case, BOOK, "made up"))


def money(found: Answer) -> list[tuple[object, object]]:
    return [(line.key, line.money) for line in found.lines]


@pytest.mark.parametrize("seed", range(150))
def test_a_silent_change_of_a_card_is_a_finding_and_changes_no_line(seed: int) -> None:
    honest = Honest(seed)
    play, rnd = honest.play(), honest.rnd
    at = rnd.randrange(len(honest.opening) + 1, len(play))
    dealt = sum(line.startswith("deal") for line in play[:at])
    number = rnd.randrange(dealt)
    box = honest.cards[number][0]
    other = rnd.choice([place for place in honest.ring if place != box])
    step = rnd.choice((f"discard {number + 2} x", f"move {number + 2}:{other}"))
    found = answer([*play[:at], step, *play[at:]])
    assert any(finding.kind == "illegal_reconstruction" for finding in found.findings), step
    assert money(found) == money(answer(play)), step


@pytest.mark.parametrize("seed", range(150))
def test_an_error_that_is_noted_and_put_right_changes_nothing(seed: int) -> None:
    honest = Honest(seed)
    straight, rnd = money(answer(honest.play())), honest.rnd
    first = rnd.randrange(len(honest.cards) - 1)
    (left, one), (right, two) = honest.cards[first : first + 2]
    honest.cards[first : first + 2] = [(right, one), (left, two)]
    note = rnd.choice((f"note dealing_error box {left}", "note dealing_error"))
    put_right = [note, f"move {first + 2}:{left} {first + 3}:{right}"]
    asked = [f"option {box} P{box} continue" for box in honest.players]
    start = [*honest.opening, *honest.deal(), *honest.looks]
    found = answer([*start, *put_right, *asked, *honest.rest])
    assert money(found) == straight
    assert [f.message for f in found.findings if f.kind not in COMPARED] == []
