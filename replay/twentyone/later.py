"""Bets that follow from others, insurance, double and split: until when chips count."""

from __future__ import annotations

from collections.abc import Callable

from replay.facts import NEVER, Bet
from replay.twentyone.table import Table


def fixed_at(table: Table) -> Callable[[Bet], int]:
    """From when on chips come or leave too late: the card that the bet is about lies there."""

    def of(bet: Bet) -> int:
        if bet.bet == "insurance":
            return table.drawing_at
        hand = table.hand_at(bet.box, bet.hand)
        if hand is None:
            return NEVER
        since = hand.doubled_at if bet.bet == "double" else 0
        place = (bet.box, bet.hand)
        dealt = (c.at for c in table.round.cards if (c.dealt_box, c.dealt_hand) == place)
        return min((at for at in dealt if at > since), default=NEVER)

    return of
