"""Exact mathematics as an outside judge, through the rules that settle real bets.

Every expected figure is worked out from the texts by counting: a bet's expectation is the sum over
all first two cards (or dealer's second cards) out of full shoes.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from replay.cards import DECK_48, DECK_52
from replay.registry import rulebook
from replay.rulebooks.blackjack_rws_v5.rules import RULES as BLACKJACK
from replay.rulebooks.pontoon_mbs_v5.rules import RULES as MBS
from replay.rulebooks.pontoon_pandemonium_rws_v4.rules import RULES as PANDEMONIUM
from replay.rulebooks.pontoon_plus_rws_v5.rules import RULES as PLUS
from replay.rules import Rule, ask


class FirstTwo:
    """Just enough of a case for a bet on the initial two cards."""

    def __init__(self, cards: tuple[str, str]) -> None:
        self.first_two = list(cards)

    def other(self, reading: str) -> bool:
        return False


def expectation(rules: tuple[Rule, ...], deck: frozenset[str], decks: int) -> Fraction:
    """What a bet of 1 on the initial two cards brings on average, out of full shoes."""
    total = Fraction(0)
    size = len(deck) * decks
    for a, b in combinations_with_replacement(sorted(deck), 2):
        ways = decks * (decks - 1) // 2 if a == b else decks * decks
        _, result = ask(rules, FirstTwo((a, b)))
        gain = Fraction(-1) if result.odds is None else Fraction(*result.odds)
        total += ways * gain
    return total / (size * (size - 1) // 2)


def test_player_pair_of_eight_full_decks() -> None:
    # 416 cards: after the first card 31 of 415 make a pair; 11 x 31 - 384 = -43
    assert expectation(BLACKJACK["player_pair"], DECK_52, 8) == Fraction(-43, 415)
    assert round(float(Fraction(-43, 415)) * 100, 2) == -10.36


@pytest.mark.parametrize("rules", [PLUS, PANDEMONIUM, MBS], ids=["plus", "pandemonium", "mbs"])
@pytest.mark.parametrize("decks", [4, 6, 8])
def test_player_pair_of_48_card_decks(rules: dict[str, tuple[Rule, ...]], decks: int) -> None:
    # 48 x d cards: after the first 4d - 1 of 48d - 1 make a pair
    pairs, others = 4 * decks - 1, 48 * decks - 1 - (4 * decks - 1)
    expected = Fraction(11 * pairs - others, 48 * decks - 1)
    assert expectation(rules["player_pair"], DECK_48, decks) == expected


def test_under_13_and_over_13_of_eight_full_decks() -> None:
    # points with the ace as 1: four ranks of ten, one each of 1 to 9
    ways = {points: (4 if points == 10 else 1) * 4 * 8 for points in range(1, 11)}
    pairs = {"under": 0, "over": 0, "thirteen": 0}
    for a in range(1, 11):
        for b in range(a, 11):
            count = ways[a] * (ways[a] - 1) // 2 if a == b else ways[a] * ways[b]
            name = "under" if a + b < 13 else "over" if a + b > 13 else "thirteen"
            pairs[name] += count
    whole = 416 * 415 // 2
    assert sum(pairs.values()) == whole
    under = Fraction(pairs["under"] - pairs["over"] - pairs["thirteen"], whole)
    over = Fraction(pairs["over"] - pairs["under"] - pairs["thirteen"], whole)
    assert expectation(BLACKJACK["under_13"], DECK_52, 8) == under
    assert expectation(BLACKJACK["over_13"], DECK_52, 8) == over


@pytest.mark.parametrize("decks", [4, 6, 8])
def test_bonus_of_48_card_decks(decks: int) -> None:
    n = 4 * decks  # cards of a rank
    same = n * (n - 1) // 2
    suited_aces = 4 * (decks * (decks - 1) // 2)
    gain = (
        40 * suited_aces
        + 11 * (same - suited_aces)
        + 8 * 3 * same
        + 4 * 3 * n * n
        + 3 * 8 * same
        + 1 * 8 * n * n
    )
    winning = same + 3 * same + 3 * n * n + 8 * same + 8 * n * n
    whole = 48 * decks * (48 * decks - 1) // 2
    assert expectation(PLUS["bonus"], DECK_48, decks) == Fraction(gain - (whole - winning), whole)


class DealerNatural:
    """Just enough of a case for insurance: the dealer shows an ace and turns a card."""

    def __init__(self, second: str) -> None:
        ten = second[0] in "TJQK"
        self.dealer = type("Dealer", (), {"natural": ten})()
        self.second_known = True


@pytest.mark.parametrize(
    ("rules", "deck", "tens"),
    [(BLACKJACK, DECK_52, 16), (PLUS, DECK_48, 12), (PANDEMONIUM, DECK_48, 12), (MBS, DECK_48, 12)],
    ids=["blackjack", "plus", "pandemonium", "mbs"],
)
@pytest.mark.parametrize("decks", [4, 8])
def test_insurance(
    rules: dict[str, tuple[Rule, ...]], deck: frozenset[str], tens: int, decks: int
) -> None:
    # the dealer's ace is out of the shoe, nothing else is known
    left = len(deck) * decks - 1
    expected = Fraction(2 * tens * decks - (left - tens * decks), left)
    total = Fraction(0)
    for card in sorted(deck):
        count = decks - 1 if card == "AS" else decks
        _, result = ask(rules["insurance"], DealerNatural(card))
        total += count * (Fraction(-1) if result.odds is None else Fraction(*result.odds))
    assert total / left == expected


def test_pandemonium_multipliers_are_the_table() -> None:
    from replay.rulebooks.pontoon_pandemonium_rws_v4.play import MULTIPLIERS

    assert sorted(MULTIPLIERS, reverse=True) == [100, 50, 25, 20, 10, 5, 3, 2]
    assert rulebook("pontoon-pandemonium-rws-v4") is not None
