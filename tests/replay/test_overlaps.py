"""Where two rules apply to one bet, the text must say which comes first; anything else is a clash.

The rules are asked in order, so an overlap is never noticed by the answer. This test asks all of
them, over made-up rounds, and knows the overlaps that the texts intend.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import pytest

from checks.audit import audit_file
from replay.rules import Result, Rule, ask
from replay.twentyone import settler
from tests.golden import load_all
from tests.replay.made_up import TWENTY_ONE, LegalTable

# What is decided before the dealer draws stands; what his second card decides comes before his
# whole hand. Within the same stage these go before those, as the texts have it:
SPECIFIC_FIRST = {
    # a split or doubled hand is named before the plain one
    "bust after split": {"bust after double", "bust"},
    "bust after double": {"bust"},
    # a row of the pay table before the regular 21; spades before one suit before mixed suits
    "seven or more cards with 21": {"21", "split 21"},
    "6-7-8 all spades": {"6-7-8 of one suit", "6-7-8 mixed suits", "21", "split 21"},
    "7-7-7 all spades": {"7-7-7 of one suit", "7-7-7 mixed suits", "21", "split 21"},
    "six cards with 21": {"21", "split 21"},
    "6-7-8 of one suit": {"6-7-8 mixed suits", "21", "split 21"},
    "7-7-7 of one suit": {"7-7-7 mixed suits", "21", "split 21"},
    "five cards with 21": {"21", "split 21"},
    "6-7-8 mixed suits": {"21", "split 21"},
    "7-7-7 mixed suits": {"21", "split 21"},
    "split 21": {"21"},
    # a Pontoon or a paid 21 is a total of 21 too
    "pontoon": {"21", "doubled 21"},
    # what a withdrawal gives goes by the cards at that moment, whatever comes to the hand later
    "double withdrawn": {"doubled 21", "bust after split", "bust after double", "bust"},
    "double on a paid hand": {"doubled 21", "bust"},
    # a dealer's natural before the comparison of totals
    "doubled, dealer pontoon": {"split, dealer pontoon", "dealer pontoon", "lower", "stand off"},
    "split, dealer pontoon": {"dealer pontoon", "lower", "stand off"},
    "dealer pontoon": {"lower", "stand off"},
    "split, dealer blackjack: first live hand": {
        "split, dealer blackjack: the others",
        "doubled, dealer blackjack",
        "lower",
        "stand off",
    },
    "split, dealer blackjack: the others": {"doubled, dealer blackjack", "lower", "stand off"},
    "doubled, dealer blackjack": {"lower", "stand off"},
    "split, dealer blackjack": {"dealer blackjack", "lower", "stand off"},
    "dealer blackjack": {"lower", "stand off"},
    "all bets lose to a dealer pontoon": {"dealer pontoon", "lower", "stand off"},
    # Blackjack against Blackjack by the dealer's first card
    "blackjack against blackjack, ace first": {
        "blackjack against blackjack",
        "blackjack, ace first",
        "blackjack",
    },
    "blackjack against blackjack": {"blackjack"},
    "blackjack, ace first": {"blackjack"},
    "blackjack at sight": {"blackjack"},
    "even money": {"blackjack at sight", "surrender"},
    "surrender, dealer pontoon": {"surrender", "surrender, second card to come"},
    # no card counts after a surrender, and under one reading no 21 before it
    "surrender": {"blackjack at sight", "21", "split 21", "bust", "surrender, second card to come"},
    "surrender, second card to come": {"21", "split 21", "bust"},
    # a win before the plain statement that there is none
    "pontoon, pressed by another": {"pontoon"},
    "dealer natural": {"no dealer natural"},
    "suited aces": {"aces", "no bonus hand"},
    "aces": {"no bonus hand"},
    "high pair": {"no bonus hand"},
    "ace and picture": {"no bonus hand"},
    "low pair": {"no bonus hand"},
    "ace and number": {"no bonus hand"},
    "pair": {"no pair"},
    "exactly 13": {"no under 13", "no over 13"},
    "under 13": {"no under 13"},
    "over 13": {"no over 13"},
}


OTHER_READINGS = {
    "did not follow a split",
    "surrender, dealer blackjack",
    "blackjack against 21",
    "split, dealer blackjack: each hand",
    "21 loses to blackjack",
    "all bets lose to a dealer pontoon",
}
"""Rules that apply only where a reading is turned: they stand in place of what follows them."""


FOLDS = {"folded", "left", "never decided"}


class Recorder:
    """Asks every rule instead of stopping at the first, and keeps the clashes."""

    def __init__(self) -> None:
        self.clashes: set[tuple[str, str]] = set()
        self.asked = 0

    def __call__(self, rules: Sequence[Rule], case: Any) -> tuple[Rule, Result]:
        self.asked += 1
        asked = [rule for rule in rules if rule.name not in OTHER_READINGS]
        first, *others = [rule for rule in asked if rule.when(case)] or [None]
        for other in others:
            if first is None or other is None or first.needs < other.needs:
                continue
            if other.name not in SPECIFIC_FIRST.get(first.name, set()):
                self.clashes.add((first.name, other.name))
        return ask(rules, case)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    found = Recorder()
    monkeypatch.setattr(settler, "ask", found)
    return found


@pytest.mark.parametrize("book", TWENTY_ONE)
def test_no_two_rules_clash_over_legal_rounds(book: str, recorder: Recorder) -> None:
    for seed in range(1500):
        audit_file(LegalTable(book, seed).play())
    assert recorder.asked > 1500
    assert recorder.clashes == set()


@pytest.mark.parametrize("book", TWENTY_ONE)
def test_no_two_rules_clash_over_the_golden_rounds(book: str, recorder: Recorder) -> None:
    for golden in load_all():
        if golden.rulebook == book:
            audit_file(golden.events)
    assert recorder.clashes == set()


def test_no_two_rules_of_3_card_poker_clash(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Recorder()
    poker = importlib.import_module("replay.rulebooks.three_card_poker_rws_v3.settling.settle")
    monkeypatch.setattr(poker, "ask", found)
    for golden in load_all():
        if golden.rulebook.startswith("three"):
            audit_file(golden.events)
    assert found.asked > 300
    # a fold is a loss whatever the cards would have been worth: by word, by leaving, by silence
    assert {(a, b) for a, b in found.clashes if a not in FOLDS} == set()


def test_a_clash_would_be_noticed() -> None:
    twice = [
        Rule("one", ("1",), "always", lambda c: True, Result("lose")),
        Rule("two", ("2",), "always", lambda c: True, Result("stand_off")),
    ]
    found = Recorder()
    found(twice, object())
    assert found.clashes == {("one", "two")}
