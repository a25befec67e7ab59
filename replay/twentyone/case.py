"""A bet on a hand as the rules look at it."""

from __future__ import annotations

from typing import Any

from replay.facts import NEVER, Bet
from replay.stakes import Stake
from replay.twentyone.table import Box, Hand, Table, View
from replay.twentyone.values import Dealer


class Case:
    """One bet: the hand it lies on, the dealer's hand, and who did what."""

    __slots__ = (
        "bet",
        "box",
        "dealer",
        "doubled",
        "hand",
        "player",
        "readings",
        "stake",
        "surrendered",
        "table",
        "view",
        "withdrew",
    )

    def __init__(
        self,
        table: Table,
        dealer: Dealer,
        bet: Bet,
        box: Box,
        hand: Hand,
        stake: Stake,
        view: Any,
    ) -> None:
        self.table = table
        self.dealer = dealer
        self.bet = bet
        self.box = box
        self.hand = hand
        self.stake = stake
        player = self.player = bet.player
        readings = self.readings = table.readings
        doubled = hand.doubled_at != NEVER
        if doubled and not follows_double(table, hand, player):
            doubled = not readings.other("non-follower-on-a-double")
        self.doubled = doubled
        found = hand.views.get(doubled)
        if found is None:
            found = hand.views[doubled] = view(hand, doubled, readings)
        self.view: View = found
        self.withdrew = bool(hand.withdrew) and withdrew(table, box, hand, player)
        self.surrendered = bool(hand.surrendered) and surrendered(table, box, hand, player)

    def other(self, reading: str) -> bool:
        return self.readings.other(reading)

    @property
    def second_known(self) -> bool:
        """Whether the dealer's second card can still matter."""
        return len(self.dealer.faces) >= 2 or self.dealer.final

    @property
    def first_two(self) -> list[str]:
        return self.table.first_two(self.box)

    def facts(self) -> dict[str, Any]:
        """What an explanation shows beside the rule that settled."""
        return {
            "hand": list(self.view.faces),
            "total": self.view.total,
            "soft": self.view.soft,
            "split": self.hand.split,
            "doubled": self.doubled,
            "surrendered": self.surrendered,
            "dealer": list(self.dealer.faces),
            "dealer_total": self.dealer.total,
            "stake": self.stake.amount,
            "counts": self.stake.basis,
        }


def follows_double(table: Table, hand: Hand, player: str) -> bool:
    return (hand.box, hand.no, player, "double") in table.round.bets


def surrendered(table: Table, box: Box, hand: Hand, player: str) -> bool:
    """Did this player's bet on the hand surrender? The seated player's word binds the others."""
    if player in hand.surrendered:
        return True
    if box.seated in hand.surrendered:
        return not table.readings.other("surrender-in-a-shared-box")
    return False


def withdrew(table: Table, box: Box, hand: Hand, player: str) -> bool:
    """Did this player withdraw his double? Each for himself."""
    if (hand.box, hand.no, player, "double") not in table.round.bets:
        return False
    mine, seated = player in hand.withdrew, box.seated in hand.withdrew
    if mine == seated or not table.game.withdrawal_may_bind:
        return mine
    return seated if table.readings.other("withdrawal-in-a-shared-box") else mine
