"""A hand, how it counts, and the box on which hands lie."""

from __future__ import annotations

from replay.facts import NEVER, NONE, Bet, Card


class Hand:
    """One hand of a box, or the dealer's."""

    __slots__ = (
        "aces",
        "box",
        "cards",
        "doubled_at",
        "early",
        "even_money",
        "no",
        "nothing",
        "owed",
        "parent",
        "pending",
        "split",
        "stood_at",
        "strays",
        "surrendered",
        "views",
        "withdrew",
        "withdrew_on",
    )

    def __init__(self, box: int, no: int) -> None:
        self.box = box
        self.no = no
        self.cards: list[Card] = []
        self.parent: Hand | None = None
        self.split = False  # it is one of the hands of a split
        self.nothing = False  # it was split off a hand that was paid already
        self.aces = False  # it comes from a split pair of aces
        self.pending = 0  # cards asked for and not yet dealt
        self.early = 0  # of them, those asked for while one was due: it may be the same card
        self.owed = 0  # cards that were taken away: others may come in their place
        self.stood_at = NEVER
        self.doubled_at = NEVER
        self.surrendered: dict[str, int] = {}  # player -> when
        self.even_money: dict[str, int] = {}
        self.withdrew: dict[str, int] = {}
        self.withdrew_on: dict[str, int] = {}  # player -> the total at that moment
        self.strays: list[Card] = NONE  # cards that came when it had stood
        self.views: dict[bool, View] = {}  # by whether it counts as doubled

    @property
    def faces(self) -> list[str]:
        return [card.face for card in self.cards]


class View:
    """A hand as it counts: its cards, their total, and what it is."""

    __slots__ = ("bust", "faces", "natural", "soft", "total")

    def __init__(self, faces: tuple[str, ...], total: int, soft: bool, natural: bool) -> None:
        self.faces = faces
        self.total = total
        self.soft = soft
        self.natural = natural  # a Pontoon or a Blackjack
        self.bust = total > 21


class Box:
    """A betting box: who bets on it, who decides, its hands."""

    __slots__ = ("first", "hands", "initials", "no", "seated")

    def __init__(self, no: int) -> None:
        self.no = no
        self.hands: dict[int, Hand] = {1: Hand(no, 1)}
        self.initials: dict[str, Bet] = {}
        self.seated: str | None = None
        self.first: tuple[Card, ...] | None = None  # the initial two cards, once split up
