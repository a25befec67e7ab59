"""A bet on a hand as the rules look at it."""

from __future__ import annotations

from typing import Any

from replay.cards import first_21
from replay.facts import NEVER, Bet
from replay.rules import Rule
from replay.stakes import Stake
from replay.twentyone.hands import Box, Hand, View
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import Dealer


class TwentyOneCase:
    """One bet: the hand it lies on, the dealer's hand, and who did what."""

    __slots__ = (
        "_first_two",
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
        table: TwentyOneTable,
        dealer: Dealer,
        bet: Bet,
        box: Box,
        hand: Hand,
        stake: Stake,
        view: Any,
    ) -> None:
        self.table = table
        self._first_two: list[str] | None = None
        self.dealer = dealer
        self.bet = bet
        self.box = box
        self.hand = hand
        self.stake = stake
        player = self.player = bet.player
        readings = self.readings = table.readings
        doubled = self.doubled = counts_as_doubled(table, hand, player)
        found = hand.views.get(doubled)
        if found is None:
            found = hand.views[doubled] = view(hand, doubled, readings)
        self.view: View = found
        self.withdrew = bool(hand.withdrew) and withdrew(table, box, hand, player)
        self.surrendered = bool(hand.surrendered) and surrendered(table, box, hand, player)
        if self.surrendered and table.game.pays_21_at_once:
            self.surrendered = self._had_something_to_give_up()

    def other(self, reading: str) -> bool:
        return self.readings.other(reading)

    def _had_something_to_give_up(self) -> bool:
        """A 21 was paid at once, unless the hand was given up before it was one."""
        when = self.hand.surrendered
        given_up = min(at for who, at in when.items() if who in {self.player, self.box.seated})
        return not self.paid_before(given_up) or self.other("insured-pontoon")

    def paid_before(self, at: int) -> bool:
        """Whether the hand, where 21 is paid at once, had 21 before that moment."""
        return self.view.total == 21 and self.hand.cards[len(self.view.faces) - 1].at < at

    @property
    def second_known(self) -> bool:
        """Whether the dealer's second card can still matter."""
        return len(self.dealer.faces) >= 2 or self.dealer.final

    @property
    def first_two(self) -> list[str]:
        if self._first_two is None:
            self._first_two = self.table.first_two(self.box)
        return self._first_two

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


TwentyOneRule = Rule[TwentyOneCase]


def counts_as_doubled(table: TwentyOneTable, hand: Hand, player: str) -> bool:
    """Whether the hand is a doubled one for this player: also for one who did not follow."""
    if hand.doubled_at == NEVER or paid_before_double(table, hand):
        return False
    if follows_double(table, hand, player):
        return True
    return not table.readings.other("non-follower-on-a-double")


def paid_before_double(table: TwentyOneTable, hand: Hand) -> bool:
    """Whether the hand had 21, where that is paid at once, before anybody doubled it."""
    return table.game.pays_21_at_once and had_21(hand, hand.doubled_at)


def had_21(hand: Hand, at: int) -> bool:
    """Whether the hand made 21 before a moment, aces counted as on any hand."""
    faces = [card.face for card in hand.cards if card.at < at]
    return first_21(faces) is not None


def follows_double(table: TwentyOneTable, hand: Hand, player: str) -> bool:
    stake = table.stakes.get((hand.box, hand.no, player, "double"))
    return stake is not None and stake.basis > 0


def surrendered(table: TwentyOneTable, box: Box, hand: Hand, player: str) -> bool:
    """Did this player's bet on the hand surrender? The seated player's word binds the others."""
    if player in hand.surrendered:
        return True
    if box.seated in hand.surrendered:
        return not table.readings.other("surrender-in-a-shared-box")
    return False


def withdrew(table: TwentyOneTable, box: Box, hand: Hand, player: str) -> bool:
    """Did this player withdraw his double? Each for himself."""
    if not follows_double(table, hand, player):
        return False
    mine, seated = player in hand.withdrew, box.seated in hand.withdrew
    if mine == seated or not table.game.withdrawal_may_bind:
        return mine
    return seated if table.readings.other("withdrawal-in-a-shared-box") else mine


def withdrew_on(case: TwentyOneCase) -> int:
    """The total on which the double was withdrawn: what came later has no part in it."""
    on = case.hand.withdrew_on
    return on.get(case.player, on.get(case.box.seated or "", 0))
