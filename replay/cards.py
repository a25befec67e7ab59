"""Cards: which belong to a deck, and what they are worth in the games to 21."""

from __future__ import annotations

SUITS = "SHDC"
RANKS = "A23456789TJQK"
UNREADABLE = "??"

DECK_52 = frozenset(rank + suit for rank in RANKS for suit in SUITS)
DECK_48 = frozenset(card for card in DECK_52 if card[0] != "T")

POINTS: dict[str, int] = {
    card: 1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in DECK_52
}
"""Points of a card with the ace as 1; whether an ace counts 11 depends on the hand."""


def value(cards: list[str], low_aces: int = 0) -> tuple[int, bool]:
    """The best total of a hand and whether it is soft (an ace counts 11).

    The first `low_aces` cards keep their aces at 1: a doubled hand's first two, where the
    rulebook says so. A card that belongs to no deck counts nothing.
    """
    total = 0
    for card in cards:
        total += POINTS.get(card, 0)
    if total <= 11:
        for card in cards[low_aces:]:
            if POINTS.get(card) == 1:
                return total + 10, True
    return total, False


def first_21(cards: list[str], low_aces: int = 0) -> int | None:
    """How many of the cards, two or more, first make 21, counted as `value` does; None: none do."""
    total, aces = 0, 0
    for count, card in enumerate(cards, start=1):
        points = POINTS.get(card, 0)
        total += points
        aces += points == 1 and count > low_aces
        if total > 21:
            return None
        if count > 1 and (total == 21 or (total == 11 and aces)):
            return count
    return None
