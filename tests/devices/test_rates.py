"""Hands come as often as the mathematics says: a fixed seed, exact chances, four deviations."""

from __future__ import annotations

from collections import defaultdict
from math import comb, sqrt

import pytest

from events.devices.poker import ranks
from tests.devices.kit import an_order, natural_floor, records

POKER = "three-card-poker-rws-v3"


def within(times: int, of: int, chance: float) -> bool:
    return abs(times - of * chance) <= 4 * sqrt(of * chance * (1 - chance))


def first_two(rulebook: str) -> list[tuple[int, list[str]]]:
    """Decks and first two cards of every box; from full shoes and from what is left of them."""
    out = []
    order = an_order(tables=6, rounds=400, seed=21, rulebook=rulebook)
    for sent in records(order, natural_floor()).values():
        decks, hands = 0, defaultdict[int, list[str]](list)
        for record in sent:
            kind, own = record["event"]
            if kind == "RoundOpened":
                out += [(decks, cards[:2]) for cards in hands.values()]
                decks, hands = own["decks"], defaultdict(list)
            elif kind == "CardDealt" and own["box"] and own["hand"] == 1:
                hands[own["box"]].append(own["card"])
    return out


@pytest.mark.parametrize(
    ("rulebook", "ranks_in_deck"), [("blackjack-rws-v5", 13), ("pontoon-plus-rws-v5", 12)]
)
def test_pairs_naturals_and_suited_aces(rulebook: str, ranks_in_deck: int) -> None:
    dealt = first_two(rulebook)
    tens = "TJQK" if ranks_in_deck == 13 else "JQK"
    pair = natural = suited_aces = 0.0
    for decks, _ in dealt:
        size = 4 * ranks_in_deck * decks
        pair += (4 * decks - 1) / (size - 1)
        natural += 2 * (4 * decks / size) * (4 * decks * len(tens) / (size - 1))
        suited_aces += (4 * decks / size) * ((decks - 1) / (size - 1))
    of, hands = len(dealt), [cards for _, cards in dealt]
    pairs = sum(a[0] == b[0] for a, b in hands)
    naturals = sum("A" in a + b and (a[0] in tens or b[0] in tens) for a, b in hands)
    aces = sum(a == b and a[0] == "A" for a, b in hands)
    assert of > 4_000
    assert within(pairs, of, pair / of)
    assert within(naturals, of, natural / of)
    assert within(aces, of, suited_aces / of)


def test_poker_hands_and_qualifying_dealers() -> None:
    order = an_order(tables=6, rounds=500, seed=22, rulebook=POKER)
    hands: dict[tuple[str, int], list[str]] = defaultdict(list)
    for sent in records(order, natural_floor()).values():
        for record in sent:
            kind, own = record["event"]
            if kind == "CardDealt":
                hands[record["round"], own["box"]].append(own["card"])
    of = len(hands)
    assert of > 6_000
    exact = {
        ranks.STRAIGHT_FLUSH: 48,
        ranks.THREE: 52,
        ranks.STRAIGHT: 720,
        ranks.FLUSH: 1_096,
        ranks.PAIR: 3_744,
        ranks.HIGH_CARD: 16_440,
    }
    for kind, ways in exact.items():
        times = sum(ranks.rank(cards)[0] == kind for cards in hands.values())
        assert within(times, of, ways / comb(52, 3)), ranks.NAMES[kind]
    dealers = [cards for (_, box), cards in hands.items() if box == 0]
    good = sum(map(ranks.qualifies, dealers))
    assert within(good, len(dealers), 1 - (comb(10, 3) - 8) * 60 / comb(52, 3))
