"""A bet as the rules look at it."""

from __future__ import annotations

from typing import Any

from replay.rulebooks.three_card_poker_rws_v3.play.ranking import (
    NAMES,
    jackpot_row,
    kind_of,
    qualifies,
)
from replay.rulebooks.three_card_poker_rws_v3.play.table import (
    DEALER,
    FOLDED,
    FREE,
    PLAYED,
    PokerTable,
)
from replay.stakes import Stake

STATES = (
    "nothing to decide",
    "not decided yet",
    "goes on",
    "folded",
    "left with a decision open",
    "never decided",
)


GOES_ON = (FREE, PLAYED)


class PokerCase:
    """A player on a box: his hand, the dealer's, and whether he goes on.

    All his bets there share it; `stake` is set to the bet that is being settled.
    """

    __slots__ = (
        "box",
        "dealer",
        "goes_on",
        "kind",
        "meter",
        "never_dealt",
        "out",
        "qualifies",
        "rank",
        "stake",
        "state",
        "table",
    )
    stake: Stake

    def __init__(self, table: PokerTable, box: int, player: str, meter: int | None) -> None:
        self.table = table
        self.box = box
        self.meter = meter  # what the progressive meter showed
        rank = self.rank = table.rank(box)
        self.kind = None if rank is None else kind_of(rank)
        dealer = self.dealer = table.rank(DEALER)
        self.qualifies = None if dealer is None else qualifies(dealer)
        state = self.state = table.state(box, player)
        self.out = state >= FOLDED
        self.goes_on = state in GOES_ON
        self.never_dealt = table.final and box not in table.hands

    @property
    def row(self) -> int | None:
        """The row of the player's hand in the jackpot's list."""
        return None if self.rank is None else jackpot_row(self.rank, self.table.faces(self.box))

    @property
    def both(self) -> bool:
        """Whether the dealer qualifies and both hands can be compared."""
        return self.rank is not None and self.qualifies is True

    def other(self, reading: str) -> bool:
        return self.table.readings.other(reading)

    def facts(self) -> dict[str, Any]:
        """What an explanation shows beside the rule that settled."""
        return {
            "hand": self.table.faces(self.box),
            "ranking": _named(self.rank),
            "dealer": self.table.faces(DEALER),
            "dealer_ranking": _named(self.dealer),
            "dealer_qualifies": self.qualifies,
            "player": STATES[self.state],
            "stake": self.stake.amount,
            "counts": self.stake.basis,
        }


def _named(rank: int | None) -> str | None:
    return None if rank is None else NAMES[kind_of(rank)]
