"""Hands and boxes of the games of 21, and how their points are counted."""

from __future__ import annotations

from collections.abc import Sequence

from events.devices.cards import DECK_52
from events.devices.chips import Chips
from events.devices.people import Guest

POINTS = {c: min(10, "A23456789TJQK".index(c[0]) + 1) for c in DECK_52}  # an ace counts 1 here


def count(cards: Sequence[str]) -> tuple[int, bool]:
    """The points, and whether an ace among them counts 11."""
    total, aces = 0, False
    for card in cards:
        points = POINTS[card]
        total += points
        if points == 1:
            aces = True
    if aces and total <= 11:
        return total + 10, True
    return total, False


def count_doubled(cards: Sequence[str]) -> tuple[int, bool]:
    """A doubled hand of the Pontoon games: aces among the first two cards count 1."""
    total = sum(POINTS[card] for card in cards)
    if total <= 11 and any(card[0] == "A" for card in cards[2:]):
        return total + 10, True
    return total, False


def is_natural(cards: Sequence[str]) -> bool:
    """An ace and a card of ten points. Whether it came from a split is the hand's business."""
    return len(cards) == 2 and count(cards)[0] == 21


class SimulatedHand:
    """The cards of one hand and the chips that ride on it."""

    __slots__ = (
        "box",
        "cards",
        "chips",
        "doubled",
        "draws",
        "from_split",
        "low_aces",
        "number",
        "surrendered",
    )

    def __init__(self, box: int, number: int, *, low_aces: bool) -> None:
        self.box = box
        self.number = number
        self.low_aces = low_aces  # whether a double makes them so
        self.cards: list[str] = []
        self.draws: list[int] = []
        self.chips: list[Chips] = []
        self.doubled = False
        self.from_split = False
        self.surrendered = False

    def count(self) -> tuple[int, bool]:
        """Points and softness as this game counts them."""
        if self.doubled and self.low_aces:
            return count_doubled(self.cards)
        return count(self.cards)

    @property
    def total(self) -> int:
        return self.count()[0]

    @property
    def natural(self) -> bool:
        return not self.from_split and is_natural(self.cards)

    @property
    def live(self) -> bool:
        """Something on this hand is still to be settled."""
        return any(c.settled is None for c in self.chips)

    @property
    def open_chips(self) -> list[Chips]:
        """The bets on this hand that are still to be settled."""
        return [c for c in self.chips if c.settled is None]

    def take(self, draw: int, card: str) -> None:
        self.draws.append(draw)
        self.cards.append(card)


class SimulatedBox:
    """One betting box: who decides for it, its hands, and the bets beside them."""

    __slots__ = ("decider", "hands", "insurance", "number", "side")

    def __init__(self, number: int, decider: Guest, *, low_aces: bool) -> None:
        self.number = number
        self.decider = decider
        self.hands = [SimulatedHand(number, 1, low_aces=low_aces)]
        self.side: list[Chips] = []
        self.insurance: list[Chips] = []

    @property
    def first(self) -> SimulatedHand:
        return self.hands[0]

    @property
    def initial(self) -> list[Chips]:
        """The main bets as they were placed before the deal."""
        return [c for c in self.first.chips if c.bet == "initial"]
