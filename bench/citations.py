"""Paragraphs that a line may cite only where what they are about happened.

A golden round says what a line must cite; this says what it must not: the paragraph on splits for
a hand that was never split, the one on doubled aces where there is no ace, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from checks.golden.load import Golden
from events.model import BetPlaced, CardDealt, CardDiscarded, DecisionMade, IrregularityNoted
from replay.answer import Answer, Line

HANDS = frozenset({"initial", "split", "double"})


@dataclass(frozen=True)
class Happened:
    """What happened to the hand of one line."""

    line: Line
    golden: Golden
    answer: Answer

    @property
    def split(self) -> bool:
        return self._decided("split", any_hand=True)

    @property
    def doubled(self) -> bool:
        return self._decided("double", any_hand=False)

    def _decided(self, what: str, *, any_hand: bool) -> bool:
        return any(
            isinstance(e.event, DecisionMade)
            and e.event.decision == what
            and e.event.box == self.line.box
            and (any_hand or e.event.hand == self.line.hand)
            for e in self.golden.events
        )

    @property
    def ace(self) -> bool:
        return any(card[0] == "A" for card in self._cards)

    @property
    def sevens(self) -> bool:
        return sum(card[0] == "7" for card in self._cards) >= 3

    @property
    def _cards(self) -> list[str]:
        """Of the whole box, because cards of a split hand are dealt under either number."""
        dealt = [e.event for e in self.golden.events if isinstance(e.event, CardDealt)]
        return [card.card for card in dealt if card.box == self.line.box]

    @property
    def dealer_ace(self) -> bool:
        dealt = (e.event for e in self.golden.events if isinstance(e.event, CardDealt))
        return next((card.card[0] == "A" for card in dealt if card.box == 0), False)

    @property
    def won(self) -> bool:
        return self.line.outcome == "win"

    @property
    def standing(self) -> bool:
        """Somebody else is seated on the box, or decides for it because this one has left."""
        placed = [e.event for e in self.golden.events if isinstance(e.event, BetPlaced)]
        seated = {b.player for b in placed if b.box == self.line.box and b.seated}
        noted = [e.event for e in self.golden.events if isinstance(e.event, IrregularityNoted)]
        left = {note.player for note in noted if note.kind == "player_left"}
        return self.line.player not in seated - left

    @property
    def overdrawn(self) -> bool:
        """The dealer drew past his stand; a card too many may have been discarded already."""
        discarded = any(isinstance(e.event, CardDiscarded) for e in self.golden.events)
        return discarded or any(f.kind == "dealer_draw" for f in self.answer.findings)


Only = Callable[[Happened], bool]
ONLY_WHERE: Mapping[str, Mapping[str, Only]] = {
    "pontoon-plus-rws-v5": {
        "3.24.1": lambda h: h.split and h.standing,
        "3.24.4": lambda h: h.split and h.sevens,
        "3.24.5": lambda h: h.split,
        "3.25.1": lambda h: h.doubled and h.standing,
        "3.25.2": lambda h: h.doubled and h.ace,
        "3.25.5": lambda h: h.doubled and h.won,
        "5.10.2": lambda h: h.overdrawn,
    },
    "blackjack-rws-v5": {
        "3.14.1": lambda h: h.dealer_ace,
        "3.21.1": lambda h: h.split and h.standing,
        "3.21.2": lambda h: h.split,
        "3.22.1": lambda h: h.doubled and h.standing,
        "5.10.2": lambda h: h.overdrawn,
    },
    "pontoon-pandemonium-rws-v4": {
        "1 Super Bonus": lambda h: h.split and h.sevens,
        "3.13": lambda h: h.split,
        "3.14": lambda h: h.doubled,
    },
    "pontoon-mbs-v5": {
        "3.9.2": lambda h: h.split,
        "3.17.2": lambda h: h.doubled and h.ace,
        "4.1.1.3": lambda h: h.split and h.sevens,
        "4.1.1.4": lambda h: h.doubled and h.won,
    },
}


def cited_in_vain(golden: Golden, answer: Answer) -> list[str]:
    """Lines that cite a paragraph on something that did not happen."""
    only = ONLY_WHERE.get(golden.rulebook, {})
    return [
        f"line {line.key}: cites {clause} in vain"
        for line in answer.lines
        if line.bet in HANDS
        for clause in line.clauses
        if clause in only and not only[clause](Happened(line, golden, answer))
    ]
