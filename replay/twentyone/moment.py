"""A decision at the moment at which it is made, and the demands that the text makes on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from replay.cards import value
from replay.facts import NEVER, Decision, Moved

if TYPE_CHECKING:
    from replay.twentyone.hands import Box, Hand
    from replay.twentyone.table import TwentyOneTable


NOWHERE: frozenset[int] = frozenset()


class Moment:
    """A decision at the moment at which it is made: what a check of play looks at."""

    __slots__ = ("box", "cards", "decision", "hand", "soft", "table", "total", "wrong")

    def __init__(
        self,
        table: TwentyOneTable,
        decision: Decision,
        box: Box,
        hand: Hand,
        wrong: frozenset[int] = NOWHERE,
    ) -> None:
        self.table = table
        self.decision = decision
        self.box = box
        self.hand = hand
        self.wrong = wrong  # draws that are left out
        self.cards = [card.face for card in hand.cards if card.draw not in self.wrong]
        low = 2 if hand.doubled_at != NEVER and table.game.low_aces else 0
        self.total: int
        self.soft: bool
        self.total, self.soft = value(self.cards, low)

    @property
    def natural(self) -> bool:
        return len(self.cards) == 2 and self.total == 21 and not self.hand.split

    @property
    def dealer_first(self) -> str:
        cards = self.table.dealer
        return cards[0].face if cards else ""


def excused(check: DecisionCheck, m: Moment) -> bool:
    """Whether only a card that lies wrongly in an open error stands against a decision."""
    wrong = lying_wrongly(m.table, m.decision.at)
    return bool(wrong) and not check.breaks(Moment(m.table, m.decision, m.box, m.hand, wrong))


def lying_wrongly(table: TwentyOneTable, at: int) -> frozenset[int]:
    """The draws that lie wrongly in an open error: neither put right, ruled on nor answered."""
    episodes = table.known_episodes()
    episodes.advance(at)
    told = max((option.at for option in table.round.options if option.at < at), default=-1)
    wrong = {draw for e in episodes.open_at(at) if e.at > told for draw in e.cards}
    wrong |= _put_right_later(table, at)
    if wrong:
        places = table.intended().places
        wrong = {draw for draw in wrong if places.get(draw) != table.lies(draw)}
    return frozenset(wrong | _next_in_hand(table))


def _put_right_later(table: TwentyOneTable, at: int) -> set[int]:
    """Cards that lay wrongly at a moment and of which nobody spoke until they were moved to where
    they belong: that shows the error, which began with the card."""
    lay = {card.draw for card in table.round.cards if card.at < at}
    later = [s for s in table.round.steps if isinstance(s, Moved) and s.at > at]
    right = [s for s in later if table.intended().belongs(s)] if later else []
    return {draw for step in right for draw, _, _ in step.moves if draw in lay}


def _next_in_hand(table: TwentyOneTable) -> set[int]:
    """Cards that came out together with one for a player: each is the next card from the shoe
    (5.12), and nobody's before it is asked for."""
    episodes = table.known_episodes()
    together = {draw for e in episodes.of_kind("simultaneous_cards") for draw in e.cards}
    return {card.draw for card in table.unasked if card.draw in together} if together else together


class DecisionCheck(NamedTuple):
    """One demand of the text on a decision: its clauses, when it is broken, what it demands."""

    clauses: tuple[str, ...]
    breaks: Callable[[Moment], bool]
    says: str


def every_decision(
    checks: Mapping[str, tuple[DecisionCheck, ...]],
) -> Mapping[str, tuple[DecisionCheck, ...]]:
    """What holds for any decision before what holds for each, put together once."""
    common = checks["any"]
    return {name: (*common, *own) if name != "any" else own for name, own in checks.items()}
