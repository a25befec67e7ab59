"""What a sensible guest does with a hand of 21; a guest who errs does something else he may do."""

from __future__ import annotations

from random import Random

from events.devices.twentyone.hands import POINTS, SimulatedHand

STRONG = frozenset({1, 7, 8, 9, 10})  # the dealer's first card, an ace as 1


def wants_split(value: int, up: int) -> bool:
    """Whether a pair of this value is worth splitting against the dealer's first card."""
    if value in {1, 8}:
        return True
    if value in {2, 3, 7}:
        return 2 <= up <= 7
    if value == 9:
        return up in {2, 3, 4, 5, 6, 8, 9}
    return value == 6 and 2 <= up <= 6


def wants_double(total: int, soft: bool, up: int) -> bool:
    """Whether one card is likely to be enough."""
    if soft:
        return False
    if total == 11:
        return up != 1
    if total == 10:
        return 2 <= up <= 9
    return total == 9 and 3 <= up <= 6


def wants_card(total: int, soft: bool, up: int) -> bool:
    """Whether to draw another card."""
    if soft:
        return total <= 17 or (total == 18 and up in {1, 9, 10})
    if total <= 11:
        return True
    if total == 12:
        return up not in {4, 5, 6}
    return total <= 16 and up in STRONG


def wants_surrender(total: int, soft: bool, up: int) -> bool:
    """Whether half a bet is better than the hand."""
    return not soft and up in {1, 10} and total in {15, 16}


def choose(hand: SimulatedHand, up: int, allowed: list[str], error: float, rng: Random) -> str:
    """One of the allowed decisions: the sensible one, or by mistake any of them."""
    if len(allowed) == 1:
        return allowed[0]
    if rng.random() < error:
        return allowed[int(rng.random() * len(allowed))]
    total, soft = hand.count()
    if "split" in allowed and wants_split(POINTS[hand.cards[0]], up):
        return "split"
    if "double" in allowed and wants_double(total, soft, up):
        return "double"
    if "hit" in allowed and wants_card(total, soft, up):
        return "hit"
    return "stand" if "stand" in allowed else "hit"
