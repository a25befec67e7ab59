"""The dealer's settlement at 3 Card Poker, against the text and against all 22,100 hands."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from events.devices.cards import DECK_52
from events.devices.chips import Chips
from events.devices.people import Guest
from events.devices.poker import pays, ranks
from events.devices.poker.ranks import rank

GUEST = Guest("P1", 10_00, 0.0, 1, {})


def chips(bet: str = "ante") -> Chips:
    return Chips(1, 1, GUEST, bet, 10_00, seated=True)


def test_every_hand_is_of_one_kind() -> None:
    kinds = Counter(rank(hand)[0] for hand in combinations(DECK_52, 3))
    assert kinds == {
        ranks.STRAIGHT_FLUSH: 48,
        ranks.THREE: 52,
        ranks.STRAIGHT: 720,
        ranks.FLUSH: 1_096,
        ranks.PAIR: 3_744,
        ranks.HIGH_CARD: 16_440,
    }


def test_1_16_how_many_hands_qualify() -> None:
    # all but three odd cards up to jack high, which are 120 x 60 less straights and flushes
    low = sum(1 for hand in combinations(DECK_52, 3) if not ranks.qualifies(hand))
    ways = sum(1 for _ in combinations("23456789TJ", 3)) - 8  # no sequences; A-3-2 has an ace
    assert low == ways * (4**3 - 4)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("KS QH JD", "JS TH 9D"),
        ("5S 5H KD", "5S 5D QD"),
        ("AS KH JD", "AS KD TD"),
        ("4S 3H 2D", "3S 2H AD"),
        ("AS KH QD", "KS QH JD"),
        ("3S 2S AS", "KS KH KD"),
        ("2S 2H 2D", "AS KH QD"),
        ("3S 2H AD", "AS KS JS"),
        ("4S 3S 2H", "AS AH KD"),
    ],
)
def test_3_1_3_order_of_hands(better: str, worse: str) -> None:
    assert rank(better.split()) > rank(worse.split())


@pytest.mark.parametrize(
    ("mine", "dealer", "ante", "play"),
    [
        ("2S 3H 5D", "JS 9H 4D", (10_00, 10_00), (10_00, 0)),  # 3.13
        ("KS 3H 5D", "QS 9H 4D", (10_00, 10_00), (10_00, 10_00)),  # 3.15.1
        ("JS 3H 5D", "QS 9H 4D", (0, 0), (0, 0)),  # 3.15.2
        ("QD 9C 4S", "QS 9H 4D", (10_00, 0), (10_00, 0)),  # 3.15.3
    ],
)
def test_ante_and_play(
    mine: str, dealer: str, ante: tuple[int, int], play: tuple[int, int]
) -> None:
    assert pays.ante_money(chips(), mine.split(), dealer.split()) == ante
    assert pays.play_money(chips("play"), mine.split(), dealer.split()) == play


@pytest.mark.parametrize(
    ("cards", "pair_plus", "ante_bonus", "progressive", "envy"),
    [
        ("AS KS QS", 40, 5, 99_999, 250_00),
        ("AH KH QH", 40, 5, 1250_00, 50_00),
        ("9D 8D 7D", 40, 5, 175_00, 0),
        ("6S 6H 6D", 30, 4, 150_00, 0),
        ("3S 2H AD", 5, 1, 15_00, 0),
        ("KS 9S 4S", 4, 0, 0, 0),
        ("KS KH 4S", 1, 0, 0, 0),
        ("KS QH 4S", 0, 0, 0, 0),
    ],
)
def test_4_2_to_4_7_pay_tables(
    cards: str, pair_plus: int, ante_bonus: int, progressive: int, envy: int
) -> None:
    hand = cards.split()
    expected = (10_00, pair_plus * 10_00) if pair_plus else (0, 0)
    assert pays.pair_plus_money(chips("pair_plus"), hand) == expected
    assert pays.ante_bonus_cents(chips(), hand) == ante_bonus * 10_00
    assert pays.progressive_cents(hand, 99_999) == progressive
    assert pays.envy_cents(hand) == envy
