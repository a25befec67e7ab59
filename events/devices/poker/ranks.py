"""How three cards rank, as a tuple that compares the way the text does."""

from __future__ import annotations

from collections.abc import Sequence

ORDER = "23456789TJQKA"
HIGH_CARD, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH = range(6)
NAMES = ("three odd cards", "pair", "flush", "straight", "three of a kind", "straight flush")

Rank = tuple[int, int, int, int]


def rank(cards: Sequence[str]) -> Rank:
    """Kind of hand, then its cards from the most to the least important."""
    a, b, c = sorted((ORDER.index(card[0]) for card in cards), reverse=True)
    flush = cards[0][1] == cards[1][1] == cards[2][1]
    if (a, b, c) == (12, 1, 0):  # ace, 3, 2: the ace counts as one
        return (STRAIGHT_FLUSH if flush else STRAIGHT), 1, 0, -1
    if a - b == 1 and b - c == 1:
        return (STRAIGHT_FLUSH if flush else STRAIGHT), a, b, c
    if a == c:
        return THREE, a, b, c
    if flush:
        return FLUSH, a, b, c
    if a == b:
        return PAIR, a, b, c
    if b == c:
        return PAIR, b, c, a
    return HIGH_CARD, a, b, c


def qualifies(dealer: Sequence[str]) -> bool:
    """A queen high or better."""
    return rank(dealer) >= (HIGH_CARD, ORDER.index("Q"), 0, 0)


def is_royal(cards: Sequence[str]) -> bool:
    """Ace, king and queen of one suit."""
    return {c[0] for c in cards} == set("AKQ") and len({c[1] for c in cards}) == 1
