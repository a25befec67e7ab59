"""Procedure faults at the games of 21: somebody breaks a rule of play.

Where the text names a remedy the dealer applies it, so that the breach is the only thing wrong;
where it names none the play stands as it was accepted.
"""

from __future__ import annotations

from events.devices.chips import Chips, Truth, returned
from events.devices.people import Guest
from events.devices.twentyone.hands import SimulatedBox, SimulatedHand
from events.devices.twentyone.play import TwentyOneRound


class StandsUnderTwelve(TwentyOneRound):
    """A player stands where he must draw."""

    def decide(self, box: SimulatedBox, hand: SimulatedHand) -> str:
        if self.planted is None and hand.total < 12:
            self.planted = Truth("illegal_decision", box.number, hand.number, box.decider.ref)
            return "stand"
        return super().decide(box, hand)


class SurrendersOutOfPlace(TwentyOneRound):
    """A player gives up against a first card that does not allow it, and the dealer takes it."""

    def offer_surrender(self, box: SimulatedBox) -> None:
        hand = box.first
        allowed = self.dealer[0][0] in self.game.surrender_on
        if self.planted is None and hand.live and not hand.natural and not allowed:
            if box.insurance:
                return
            self.planted = Truth("illegal_decision", box.number, 1, box.decider.ref)
            self.surrender(box)
        else:
            super().offer_surrender(box)


class SplitsUnequalCards(TwentyOneRound):
    """Two cards that are no pair are split, and each hand gets its cards."""

    def decide(self, box: SimulatedBox, hand: SimulatedHand) -> str:
        tens = hand.cards[0][0] in "TJQK" or hand.cards[1][0] in "TJQK"
        fresh = len(hand.cards) == 2 and len(box.hands) == 1
        if self.planted is None and fresh and tens and "split" not in self.allowed(box, hand):
            self.planted = Truth("illegal_decision", box.number, 1, box.decider.ref)
            return "split"
        return super().decide(box, hand)


class InsuresTooMuch(TwentyOneRound):
    """More than half the bet is taken as insurance."""

    def initial_deal(self) -> None:
        others: list[str | None] = [None] * len(self.boxes)
        self.table.shoe.stage([*others, "AD"])
        super().initial_deal()

    def offer_insurance(self, box: SimulatedBox) -> None:
        open_bets = [c for c in box.initial if c.settled is None]
        if self.planted is not None or not open_bets or box.first.natural:
            super().offer_insurance(box)
            return
        main = open_bets[0]
        self.insure(box, main.guest, main.placed_cents * 3 // 4, seated=main.seated)
        self.planted = Truth.about("illegal_bet", box.insurance[-1])


class DoublesTooMuch(TwentyOneRound):
    """A double above the bet is accepted."""

    def double_cents(self, main_cents: int) -> int:
        return main_cents * 2 if self.planted is None else super().double_cents(main_cents)

    def add_to_hand(self, hand: SimulatedHand, main: Chips, bet: str, cents: int) -> Chips:
        chips = super().add_to_hand(hand, main, bet, cents)
        if bet == "double" and cents > main.placed_cents and self.planted is None:
            self.planted = Truth.about("illegal_bet", chips)
        return chips

    def offer_withdrawal(self, hand: SimulatedHand) -> None:
        """Nobody withdraws, so that nothing else happens to this double."""


class OverUnderTooHigh(TwentyOneRound):
    """Blackjack: chips on Over 13 above the box's own bet are accepted."""

    def bet_seated(self, box: SimulatedBox, guest: Guest) -> None:
        habits, guest.side_bets = guest.side_bets, {}
        super().bet_seated(box, guest)
        guest.side_bets = habits
        low, high = self.table.limits["over_13"]
        cents = 2 * sum(c.placed_cents for c in box.initial)
        if self.planted is None and low <= cents <= high:
            chips = self.bet_on(box, guest, "over_13", cents, seated=True)
            self.planted = Truth.about("illegal_bet", chips)

    def bet_standing(self, box: SimulatedBox, guest: Guest) -> None:
        """Nobody adds to the box."""


class BetOfAnotherGame(TwentyOneRound):
    """Chips on a bet that this game does not have; they go back before the deal."""

    def close_bets(self) -> None:
        box = self.boxes[0]
        cents = self.table.limits["initial"][0]
        chips = self.place(box.number, box.decider, "pair_plus", cents, seated=True)
        super().close_bets()
        self.settle(chips, returned(chips), "interim")
        self.planted = Truth.about("illegal_bet", chips)


class RaisesLate(TwentyOneRound):
    """Chips are added after the close and let through; they go back with the settlement."""

    def close_bets(self) -> None:
        self.say("BetsClosed")
        main = self.boxes[-1].initial[0]
        late = self.table.limits["initial"][0]
        self.say(
            "BetPlaced",
            box=main.box,
            hand=1,
            player=main.guest.ref,
            bet="initial",
            amount=late,
            seated=main.seated,
        )
        main.placed_cents += late
        self.planted = Truth.about("late_bet", main)

    def allowed(self, box: SimulatedBox, hand: SimulatedHand) -> list[str]:
        """Nothing is added to this box later, because nobody could say to which amount."""
        usual = super().allowed(box, hand)
        return [d for d in usual if d in {"hit", "stand"}] if box is self.boxes[-1] else usual


class SideBetLate(TwentyOneRound):
    """A Player Pair comes after the close and is let through; it goes back."""

    def close_bets(self) -> None:
        self.say("BetsClosed")
        box = next((b for b in self.boxes if not b.side), None)
        if box is None:
            return
        cents = self.table.limits["player_pair"][0]
        chips = self.bet_on(box, box.decider, "player_pair", cents, seated=True)
        chips.counts_cents = 0
        self.planted = Truth.about("late_bet", chips)

    def settle_side_bets(self) -> None:
        for box in self.boxes:
            for chips in box.side:
                if not chips.counts_cents:
                    self.settle(chips, returned(chips), "interim")
        super().settle_side_bets()


class WithdrawsLate(TwentyOneRound):
    """Chips are pulled back after the close; the bet counts as it lay."""

    def close_bets(self) -> None:
        self.say("BetsClosed")
        main = self.boxes[0].initial[0]
        self.say(
            "BetWithdrawn",
            box=main.box,
            hand=1,
            player=main.guest.ref,
            bet="initial",
            amount=main.placed_cents // 2,
        )
        self.planted = Truth.about("late_bet", main)


class OverLimit(TwentyOneRound):
    """A box has more chips than the limit lets it; each player's count in proportion."""

    star: SimulatedBox | None = None

    def bet_seated(self, box: SimulatedBox, guest: Guest) -> None:
        low, high = self.table.limits["initial"]
        if self.star is not None:
            super().bet_seated(box, guest)
            return
        self.star = box
        main = self.bet_on(box, guest, "initial", high + low, seated=True)
        self.planted = Truth.about("over_limit", main)

    def bet_standing(self, box: SimulatedBox, guest: Guest) -> None:
        if box is not self.star:
            super().bet_standing(box, guest)
            return
        self.bet_on(box, guest, "initial", guest.stake_cents, seated=False)

    def close_bets(self) -> None:
        super().close_bets()
        low, high = self.table.limits["initial"]
        if self.star is not None:
            bets = self.star.initial
            total = sum(c.placed_cents for c in bets)
            for chips in bets:
                chips.counts_cents = max(low, chips.placed_cents * high // total)

    def allowed(self, box: SimulatedBox, hand: SimulatedHand) -> list[str]:
        """Nothing is added to this box later, because it would count in part as well."""
        usual = super().allowed(box, hand)
        return [d for d in usual if d in {"hit", "stand"}] if box is self.star else usual

    def offer_insurance(self, box: SimulatedBox) -> None:
        if box is not self.star:
            super().offer_insurance(box)


class UnderLimit(TwentyOneRound):
    """A box has fewer chips than the minimum; nobody notices and it wins or loses as it lies."""

    def bet_seated(self, box: SimulatedBox, guest: Guest) -> None:
        alone = all(number != box.number for number, _ in self.table.party.standing)
        if self.planted is not None or not alone:
            super().bet_seated(box, guest)
            return
        cents = self.table.limits["initial"][0] // 2
        main = self.bet_on(box, guest, "initial", cents, seated=True)
        self.planted = Truth.about("under_limit", main)


class SideBetOnEmptyBox(TwentyOneRound):
    """A Player Pair where no main bet lies; it is removed before the deal and goes back."""

    def close_bets(self) -> None:
        taken = {box.number for box in self.boxes}
        empty = [n for n in range(1, self.table.boxes + 1) if n not in taken]
        if not empty:
            super().close_bets()
            return
        guest = self.boxes[0].decider
        cents = self.table.limits["player_pair"][0]
        chips = self.place(empty[0], guest, "player_pair", cents, seated=False)
        super().close_bets()
        self.settle(chips, returned(chips), "interim")
        self.planted = Truth.about("side_bet_alone", chips)


class SideBetOfAnOutsider(TwentyOneRound):
    """Pandemonium: a Player Pair of somebody without a main bet of his own; it goes back."""

    def close_bets(self) -> None:
        guest = self.table.party.newcomer()
        cents = self.table.limits["player_pair"][0]
        box = self.boxes[0].number
        chips = self.place(box, guest, "player_pair", cents, seated=False)
        super().close_bets()
        self.settle(chips, returned(chips), "interim")
        self.planted = Truth.about("side_bet_alone", chips)
