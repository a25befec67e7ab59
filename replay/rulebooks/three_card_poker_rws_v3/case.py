"""A bet as the rules look at it."""

from __future__ import annotations

from typing import Any

from replay.answer import Key
from replay.rulebooks.three_card_poker_rws_v3.ranking import NAMES, jackpot_row, kind_of, qualifies
from replay.rulebooks.three_card_poker_rws_v3.table import FOLDED, FREE, OPEN, PLAYED, Table
from replay.twentyone.stakes import Stake

STATES = (
    "nothing to decide",
    "not decided yet",
    "goes on",
    "folded",
    "left with a decision open",
    "never decided",
)


class Case:
    """One bet: the player's hand, the dealer's, and whether the player goes on."""

    __slots__ = ("box", "dealer", "dealt", "goes_on", "meter", "out", "rank", "stake", "state", "t")

    def __init__(self, table: Table, key: Key, stake: Stake, meter: int | None) -> None:
        box = self.box = key[0]
        self.t = table
        self.stake = stake
        self.meter = meter  # what the progressive meter showed
        self.rank = table.rank(box)
        self.dealer = table.rank(0)
        state = self.state = table.state(box, key[2])
        self.goes_on = state in {FREE, PLAYED}
        self.out = state >= FOLDED
        self.dealt = key[1] == 1 and box in table.hands and box > 0

    @property
    def kind(self) -> int:
        """The kind of the player's hand, -1 where it is not known."""
        return -1 if self.rank is None else kind_of(self.rank)

    @property
    def row(self) -> int | None:
        """The row of the player's hand in the jackpot's list."""
        return None if self.rank is None else jackpot_row(self.rank, self.t.faces(self.box))

    @property
    def both(self) -> bool:
        """Whether the dealer qualifies and both hands can be compared."""
        return self.dealer is not None and self.rank is not None and qualifies(self.dealer)

    @property
    def never_dealt(self) -> bool:
        """The round is over and the hand never got a card."""
        return self.t.final and not self.dealt

    @property
    def open(self) -> bool:
        return self.state == OPEN

    def other(self, reading: str) -> bool:
        return self.t.readings.other(reading)

    def facts(self) -> dict[str, Any]:
        """What an explanation shows beside the rule that settled."""
        return {
            "hand": self.t.faces(self.box),
            "ranking": _named(self.rank),
            "dealer": self.t.faces(0),
            "dealer_ranking": _named(self.dealer),
            "dealer_qualifies": None if self.dealer is None else qualifies(self.dealer),
            "player": STATES[self.state],
            "stake": self.stake.amount,
            "counts": self.stake.basis,
        }


def _named(rank: int | None) -> str | None:
    return None if rank is None else NAMES[kind_of(rank)]
