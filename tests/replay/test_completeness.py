"""A share of bench/completeness.py: no bet without a rule, no rule without a bet."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from bench.completeness import UNREACHABLE, Seen, enumerate_book, reason
from replay.readings import Readings
from replay.registry import IDS
from replay.rules import NoRule, Result, Rule
from tests.replay.test_overlaps import FOLDS, OTHER_READINGS, SPECIFIC_FIRST

SHARE = {"three-card-poker-rws-v3": 1.0}

NOT_OPEN = {
    # a Pontoon is paid at once and may not be doubled: what was done with the double is nothing
    "pontoon": {"double withdrawn"},
    "double on a paid hand": {"double withdrawn"},
    # who got no cards has no hand to be paid for
    "no cards": {"dealer does not qualify"},
}
"""Which comes first where the play itself was not open: the legal rounds do not meet these."""


@cache
def enumerated(book: str) -> Seen:
    return enumerate_book(book, SHARE.get(book, 0.2))


@pytest.mark.parametrize("book", IDS)
def test_every_bet_meets_a_rule_or_the_round_is_reported(book: str) -> None:
    seen = enumerated(book)
    assert seen.asked > 1000
    assert seen.silent == []


@pytest.mark.parametrize("book", IDS)
def test_every_rule_is_the_first_somewhere(book: str) -> None:
    never = enumerated(book).never_first()
    assert [rule for rule in never if reason(book, *rule) is None] == []


@pytest.mark.parametrize("book", IDS)
def test_where_two_rules_apply_the_text_has_one_first(book: str) -> None:
    for bet, first, other in sorted(enumerated(book).overlaps):
        known = SPECIFIC_FIRST.get(first, set()) | NOT_OPEN.get(first, set()) | OTHER_READINGS
        assert other in known or first in FOLDS, (bet, first, other)


def test_what_is_accepted_is_still_so() -> None:
    """A reason that fits no rule any more is taken off the list."""
    never = {(book, *rule) for book in IDS for rule in enumerated(book).never_first()}
    accepted = {reason(*rule) for rule in never}
    assert accepted == set(UNREACHABLE.values())


class _Bet(NamedTuple):
    bet: str


class _Case(NamedTuple):
    bet: _Bet
    readings: Readings


def test_a_missing_rule_would_be_noticed() -> None:
    seen = Seen("blackjack-rws-v5")
    bare = [Rule("never", ("1",), "never", lambda c: False, Result("lose"))]
    with pytest.raises(NoRule):
        seen(bare, _Case(_Bet("initial"), Readings()))
    assert seen.bare == {(frozenset(), "initial")}
    assert ("initial", "pontoon") not in seen.first
    assert ("initial", "bust") in seen.never_first()
