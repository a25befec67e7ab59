"""Bets that follow from others, insurance, double and split: until when chips count."""

from __future__ import annotations

from collections.abc import Callable

from replay.facts import NEVER, Bet
from replay.twentyone.table import TwentyOneTable


def fixed_at(table: TwentyOneTable) -> Callable[[Bet], int]:
    """From when on chips come or leave too late: the card that the bet is about lies there."""

    def of(bet: Bet) -> int:
        if bet.bet == "insurance":
            return table.drawing_at
        hand = table.hand_at(bet.box, bet.hand)
        place, since = (bet.box, bet.hand), 0
        if bet.bet == "double":
            made = (d for d in table.round.decisions if (d.box, d.hand) == place)
            since = max((d.at for d in made if d.decision == "double"), default=NEVER)
        elif hand is None or not hand.split:
            return NEVER
        dealt = (c.at for c in table.round.cards if (c.dealt_box, c.dealt_hand) == place)
        return min((at for at in dealt if at > since), default=NEVER)

    return of
