"""Procedure faults at 3 Card Poker."""

from __future__ import annotations

from typing import Any

from events.devices.chips import Truth, returned
from events.devices.people import Guest
from events.devices.poker.play import PokerBox, PokerRound
from events.devices.trouble.poker import LooksByAccident
from events.devices.trouble.poker_dealing import TwoPokerCardsAtOnce


class DecidesNothing(PokerRound):
    """An Ante is neither folded nor played; it counts as folded."""

    def decide(self, box: PokerBox) -> None:
        if self.planted is not None:
            super().decide(box)
            return
        self.planted = Truth("illegal_decision", box.number, 1, box.guest.ref)
        box.folded = True

    def settle_box(self, box: PokerBox) -> None:
        if not box.folded:
            super().settle_box(box)
            return
        self.lose_all(box)


class PlaysForMore(PokerRound):
    """A Play above the Ante; the excess goes back."""

    def play_cents(self, ante_cents: int) -> int:
        return ante_cents * 2

    def play_on(self, box: PokerBox) -> None:
        if self.planted is not None:
            super().play_on(box)
            return
        self.decision(box, "play")
        ante = box.bets["ante"].placed_cents
        play = self.put(box, "play", self.play_cents(ante))
        play.counts_cents = min(play.placed_cents, ante)
        self.planted = Truth.about("illegal_bet", play)


class PlaysForLess(PlaysForMore):
    """A Play under the Ante; each wins or loses on its own amount."""

    def play_cents(self, ante_cents: int) -> int:
        return ante_cents // 2


class PlaysAfterFolding(PokerRound):
    """Chips for Play after a fold: the Ante is lost, and they go back."""

    def fold(self, box: PokerBox) -> None:
        super().fold(box)
        if self.planted is None:
            play = self.put(box, "play", box.bets["ante"].placed_cents)
            self.planted = Truth.about("illegal_bet", play)
            self.settle(play, returned(play))


class WrongJackpotBet(PokerRound):
    """Another amount than the prescribed one on the jackpot spot; settled as accepted."""

    def bet(self, box: PokerBox, guest: Guest) -> None:
        super().bet(box, guest)
        chips = box.bets.get("progressive")
        if chips is not None and self.planted is None:
            twice = 2 * chips.placed_cents
            chips.placed_cents = chips.counts_cents = twice
            self.steps[-1][2]["amount"] = twice
            self.planted = Truth.about("illegal_bet", chips)


class AnteLate(PokerRound):
    """An Ante is raised after the close and let through; what came late goes back."""

    def late_chips(self) -> None:
        box = next((b for b in self.boxes if "ante" in b.bets), None)
        if box is None:
            return
        ante, late = box.bets["ante"], self.table.limits["ante"][0]
        self.say(
            "BetPlaced",
            box=box.number,
            hand=1,
            player=box.guest.ref,
            bet="ante",
            amount=late,
            seated=True,
        )
        ante.placed_cents += late
        self.planted = Truth.about("late_bet", ante)

    def play_on(self, box: PokerBox) -> None:
        self.decision(box, "play")
        self.put(box, "play", box.bets["ante"].counts_cents)


class PokerOverLimit(PokerRound):
    """An Ante above the limit, not rejected; it counts up to the limit."""

    def bet(self, box: PokerBox, guest: Guest) -> None:
        low, high = self.table.limits["ante"]
        if self.planted is not None:
            super().bet(box, guest)
            return
        ante = self.put(box, "ante", high + low)
        ante.counts_cents = high
        self.planted = Truth.about("over_limit", ante)

    def play_on(self, box: PokerBox) -> None:
        super().play_on(box)
        box.bets["play"].counts_cents = box.bets["ante"].counts_cents


class PokerUnderLimit(PokerRound):
    """An Ante under the minimum that nobody notices; it wins or loses as it lies."""

    def bet(self, box: PokerBox, guest: Guest) -> None:
        if self.planted is not None:
            super().bet(box, guest)
            return
        ante = self.put(box, "ante", self.table.limits["ante"][0] // 2)
        self.planted = Truth.about("under_limit", ante)


class JackpotBetAlone(PokerRound):
    """A progressive bet without an Ante; it goes back before the deal."""

    def bet(self, box: PokerBox, guest: Guest) -> None:
        if self.planted is not None:
            super().bet(box, guest)
            return
        self.put(box, "pair_plus", self.table.limits["pair_plus"][0])
        chips = self.put(box, "progressive", self.table.floor.jackpot.bet)
        self.planted = Truth.about("side_bet_alone", chips)

    def deal_all(self) -> None:
        for box in self.boxes:
            if "ante" not in box.bets and "progressive" in box.bets:
                chips = box.bets.pop("progressive")
                self.settle(chips, returned(chips), "interim")
        super().deal_all()


class PokerOutOfOrder(PokerRound):
    """Two boxes are dealt to in the wrong order throughout, and nobody says anything."""

    def order_of_deal(self) -> list[PokerBox]:
        order = super().order_of_deal()
        if len(self.boxes) >= 2:
            first, second = self.boxes[0], self.boxes[1]
            swap = {first.number: second, second.number: first}
            order = [swap.get(box.number, box) for box in order]
            self.planted = Truth("deal_order")
        return order


class ForgetsToAskPoker(TwoPokerCardsAtOnce):
    """Two cards at once, and one player is not asked whether he wants to go on."""

    def take_option(self, box: int, player: str, option: str) -> None:
        if option == "continue" and self.planted is None:
            self.planted = Truth("missing_option", box, None, player)
            return
        super().take_option(box, player, option)


class LooksWithoutAnte(PokerRound):
    """A player with Pair Plus alone looks at his cards."""

    def decisions(self) -> None:
        box = next((b for b in self.boxes if "ante" not in b.bets), None)
        if box is not None:
            self.say("HandExamined", box=box.number, player=box.guest.ref)
            self.planted = Truth("illegal_examination", box.number, None, box.guest.ref)
        super().decisions()


class SecondLookUnruled(LooksByAccident):
    """A player looks at two hands; the dealer says so, and nobody decides about it."""

    def rule(self, ruling: str, clause: str, by: str = "pit_supervisor", **where: Any) -> None:
        self.planted = Truth("illegal_examination", where["box"], 1, where["player"])


class TwoDecks(PokerRound):
    """Two decks instead of one, for one round; no card comes twice."""

    decks = 2

    def open(self) -> None:
        super().open()
        self.planted = Truth("illegal_setup")

    def next_card(self) -> str:
        held = {card for box in [*self.boxes, self.dealer] for card in box.cards}
        while (card := super().next_card()) in held:
            self.table.shoe.put_back(card)
        return card


class PokerBreaksOff(PokerRound):
    """A hand is folded when the lights go out, and the round is not played to its end."""

    def reveal_dealer(self) -> None:
        if any(box.folded for box in self.boxes) and any(box.in_play for box in self.boxes):
            self.note("technical_interruption", detail="power failure")
            self.planted = Truth("round_not_concluded")
        else:
            super().reveal_dealer()

    def settlement(self) -> None:
        if self.planted is None:
            super().settlement()
