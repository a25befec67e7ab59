"""When the dealer of a game of 21 settles, and what he writes down; the amounts are in pays.py."""

from __future__ import annotations

from collections.abc import Callable

from events.devices.chips import Chips, Money, lost, returned, won
from events.devices.people import Guest
from events.devices.script import SimulatedRound
from events.devices.twentyone import pays
from events.devices.twentyone.games import SimulatedGame
from events.devices.twentyone.hands import SimulatedBox, SimulatedHand

MULTIPLIERS = (2, 3, 5, 10, 20, 25, 50, 100)
MULTIPLIER_WEIGHTS = (40, 30, 14, 8, 4, 2, 1, 1)


class Settling(SimulatedRound):
    """Payments and collections of a round of 21."""

    game: SimulatedGame
    boxes: list[SimulatedBox]
    dealer: list[str]
    bonus_boxes: set[int]

    # decisions and later chips, as they are written down

    def decision(
        self, hand: SimulatedHand, player: str, what: str, new_hand: int | None = None
    ) -> None:
        self.say(
            "DecisionMade",
            box=hand.box,
            hand=hand.number,
            player=player,
            decision=what,
            new_hand=new_hand,
        )

    def add_to_hand(self, hand: SimulatedHand, main: Chips, bet: str, cents: int) -> Chips:
        """Chips of a double or a split."""
        chips = self.place(hand.box, main.guest, bet, cents, seated=main.seated, hand=hand.number)
        hand.chips.append(chips)
        return chips

    def insure(self, box: SimulatedBox, guest: Guest, cents: int, *, seated: bool) -> None:
        box.insurance.append(self.place(box.number, guest, "insurance", cents, seated=seated))

    # before the rest of the deal

    def settle_side_bets(self) -> None:
        """By the first two cards, before anybody draws."""
        for box in self.boxes:
            cards = box.first.cards
            for chips in box.side:
                if chips.bet != "pandemonium" and chips.settled is None:
                    money = pays.side_money(chips, cards)
                    self.settle(chips, money, "interim")
                    if money[1]:
                        times = pays.side_odds(chips.bet, cards)
                        self.seen(f"pays {chips.bet} {times[0] if times else 0} to 1")

    def pay_naturals(self) -> None:
        """A natural is paid at once, at Blackjack only where the dealer can't have one too."""
        waits = not self.game.pays_21_at_once and self.dealer[0][0] in "AKQJT"
        for box in self.boxes:
            if box.first.natural and not waits:
                self.settle_hand(box.first, lambda chips: won(chips, (3, 2)), "interim")
                self.seen("pays natural 3 to 2")
            self.settle_pandemonium(box)

    def settle_pandemonium(self, box: SimulatedBox) -> None:
        """One press of the button for the box; the meter's odds are for every winner on it."""
        riding = [c for c in box.side if c.bet == "pandemonium" and c.settled is None]
        if not riding:
            return
        if not box.first.natural:
            for chips in riding:
                self.settle(chips, lost(chips), "interim")
            return
        presser = next((c.guest for c in riding if c.seated), riding[0].guest)
        if self.chance(self.table.floor.guests.nominates):
            other = self.table.party.another(box.number)
            if other is not None and not self.won_pandemonium(other):
                presser = other
        times = self.press_button(box, presser)
        for chips in riding:
            self.settle(chips, won(chips, (times, 1)), "interim")

    def won_pandemonium(self, guest: Guest) -> bool:
        """Who has a winning bet himself presses for nobody else."""
        return any(
            chips.bet == "pandemonium" and chips.guest is guest
            for box in self.boxes
            if box.first.natural
            for chips in box.side
        )

    def press_button(self, box: SimulatedBox, guest: Guest) -> int:
        times = self.rng.choices(MULTIPLIERS, MULTIPLIER_WEIGHTS)[0]
        return self.show_multiplier(box, guest, times)

    def show_multiplier(self, box: SimulatedBox, guest: Guest, times: int) -> int:
        self.say("ButtonPressed", box=box.number, player=guest.ref, multiplier=times)
        self.seen(f"pays pandemonium {times} to 1")
        return times

    # during the rest of the deal

    def settle_hand(
        self, hand: SimulatedHand, money: Callable[[Chips], Money], phase: str = "final"
    ) -> None:
        """The same for every bet on a hand that is still open."""
        for chips in hand.open_chips:
            self.settle(chips, money(chips), phase)

    def pay_21(self, hand: SimulatedHand) -> None:
        """Pontoon games: 21 is paid at once, and three suited sevens may bring more."""
        odds = pays.odds_of_21(hand)
        row = "doubled" if hand.doubled else pays.row_of_21(hand.cards, natural=False)
        self.seen(f"pays 21 {row} {odds[0]} to {odds[1]}")
        riding = hand.open_chips
        self.settle_hand(hand, lambda chips: won(chips, odds), "interim")
        for chips in riding:
            cents = pays.super_bonus_cents(hand, self.dealer[0], chips.counts_cents)
            if cents:
                self.bonus_boxes.add(hand.box)
                self.pay_extra(hand.box, chips.guest.ref, "super_bonus", cents, "interim")
                self.seen(f"pays super_bonus {cents // 100}")

    def withdraw(self, hand: SimulatedHand, extra: Chips) -> None:
        """The doubled part goes back, the rest is lost."""
        self.decision(hand, extra.guest.ref, "withdraw_double")
        if self.chance(0.5):  # some consoles report the chips too; it adds nothing
            self.say(
                "BetWithdrawn",
                box=extra.box,
                hand=extra.hand,
                player=extra.guest.ref,
                bet="double",
                amount=extra.placed_cents,
            )
        for chips in hand.open_chips:
            if chips.guest is extra.guest:
                self.settle(chips, returned(chips) if chips is extra else lost(chips))

    # the end

    def final_settlement(self) -> None:
        """Everything that waited for the dealer."""
        for box in self.boxes:
            for chips in box.insurance:
                if chips.settled is None:
                    self.settle(chips, pays.insurance_money(chips, self.dealer))
            for hand in box.hands:
                for chips in hand.open_chips:
                    self.settle(chips, pays.final_money(self.game, box, hand, chips, self.dealer))
        if self.bonus_boxes:
            self.pay_shares()

    def pay_shares(self) -> None:
        """The $50 for the others in a round with a super bonus."""
        for box in self.boxes:
            winner = box.number in self.bonus_boxes
            for chips in box.initial:
                if self.game.bonus_for_every_wager:
                    due = not winner or chips.counts_cents < pays.SUPER_BONUS_FROM
                    won = chips.settled is not None and chips.settled[1] > 0
                    due = due and not (won and box.hands[0].doubled)  # 4.1.1.4
                else:
                    due = not winner and chips.seated
                if due and not chips.taken_back:
                    self.pay_extra(
                        box.number, chips.guest.ref, "super_bonus_share", pays.SHARE_CENTS, "final"
                    )
