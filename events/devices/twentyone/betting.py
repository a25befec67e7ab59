"""Chips before the deal: what guests of a game of 21 put down, take back, and are refused."""

from __future__ import annotations

from events.devices.chips import Chips
from events.devices.people import Guest
from events.devices.script import SimulatedRound
from events.devices.twentyone.games import SimulatedGame
from events.devices.twentyone.hands import SimulatedBox


class Betting(SimulatedRound):
    """The first part of a round of 21: everything up to "No more bets"."""

    game: SimulatedGame
    boxes: list[SimulatedBox]

    def take_bets(self) -> None:
        """Seated guests first, then those who stand behind a box."""
        by_number: dict[int, SimulatedBox] = {}
        for number, guest in self.table.party.playing():
            box = SimulatedBox(number, guest, low_aces=self.game.pays_21_at_once)
            by_number[number] = box
            self.bet_seated(box, guest)
        self.boxes = list(by_number.values())
        for number, guest in self.table.party.standing:
            if number in by_number:
                self.bet_standing(by_number[number], guest)

    def close_bets(self) -> None:
        """No more bets. Who comes late is turned down."""
        self.say("BetsClosed")
        if self.chance(self.table.floor.guests.bets_late):
            box = self.boxes[-1]
            self.refuse(box.number, box.decider, "initial", self.table.limits["initial"][0])

    def bet_seated(self, box: SimulatedBox, guest: Guest) -> None:
        """A main bet within the limits, then side bets, then second thoughts."""
        habits, (low, high) = self.table.floor.guests, self.table.limits["initial"]
        cents = min(high, self.stake_of(guest))
        main = self.bet_on(box, guest, "initial", cents, seated=True)
        if self.chance(habits.bets_too_much):
            self.refuse(box.number, guest, "initial", high - cents + low)
        if cents >= 2 * low and self.chance(habits.changes_his_mind):
            self.take_back(main, low)
        self.bet_side(box, guest, main, seated=True)

    def stake_of(self, guest: Guest) -> int:
        """What he puts down this time: his usual stake, now and then twice that."""
        return guest.stake_cents * (2 if self.chance(0.15) else 1)

    def bet_standing(self, box: SimulatedBox, guest: Guest) -> None:
        """What the limit leaves; a guest for whom nothing is left is turned down."""
        low, high = self.table.limits["initial"]
        if self.game.side_bets_for_others and self.chance(self.table.floor.guests.side_bet_only):
            self.bet_side(box, guest, None, seated=False)
            return
        room = high - sum(c.placed_cents for c in box.initial)
        cents = min(guest.stake_cents, room)
        if cents < low:
            self.refuse(box.number, guest, "initial", guest.stake_cents)
            return
        main = self.bet_on(box, guest, "initial", cents, seated=False)
        self.bet_side(box, guest, main, seated=False)

    def bet_side(
        self, box: SimulatedBox, guest: Guest, main: Chips | None, *, seated: bool
    ) -> None:
        """The side bets this guest likes, as far as limits and texts let him."""
        for bet, usual in guest.side_bets.items():
            if not self.chance(0.5):
                continue
            low, high = self.table.limits[bet]
            room = high - sum(c.placed_cents for c in box.side if c.bet == bet)
            if bet in {"under_13", "over_13"}:
                if main is None:
                    continue
                room = min(room, main.placed_cents)
            cents = min(usual, room)
            if cents < low:
                continue
            chips = self.bet_on(box, guest, bet, cents, seated=seated)
            if self.chance(self.table.floor.guests.changes_his_mind):
                self.take_back(chips, cents)
                box.side.remove(chips)

    def bet_on(
        self, box: SimulatedBox, guest: Guest, bet: str, cents: int, *, seated: bool
    ) -> Chips:
        """Place chips and remember which box they belong to."""
        chips = self.place(box.number, guest, bet, cents, seated=seated)
        (box.first.chips if bet == "initial" else box.side).append(chips)
        return chips
