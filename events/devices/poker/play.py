"""A round of 3 Card Poker as it is played, in two parts: bets first, then the meter and the rest.

Between the two parts other tables may move the meter that this one shares with them.
"""

from __future__ import annotations

from events.devices.cards import ShoeEmptyError
from events.devices.chips import Chips, lost
from events.devices.people import Guest
from events.devices.poker import pays, ranks
from events.devices.script import SimulatedRound, SimulatedTable, VoidedError


class PokerBox:
    """One box: one player, his bets, three cards."""

    __slots__ = ("bets", "cards", "draws", "examined", "folded", "guest", "number")

    def __init__(self, number: int, guest: Guest) -> None:
        self.number = number
        self.guest = guest
        self.bets: dict[str, Chips] = {}
        self.cards: list[str] = []
        self.draws: list[int] = []
        self.examined = False
        self.folded = False

    def open_bet(self, bet: str) -> Chips | None:
        """This bet, where it lies on the box and is not settled yet."""
        chips = self.bets.get(bet)
        return chips if chips is not None and chips.settled is None else None

    @property
    def in_play(self) -> bool:
        """There is an Ante to decide about."""
        return self.open_bet("ante") is not None


class PokerRound(SimulatedRound):
    """One round of 3 Card Poker."""

    main_bet = "ante"

    def __init__(self, table: SimulatedTable, name: str, start_us: int) -> None:
        super().__init__(table, name, start_us)
        self.boxes: list[PokerBox] = []
        self.dealer = PokerBox(0, Guest("", 0, 0.0, 0, {}))
        self.meter_cents = 0
        self.jackpot_won_us: int | None = None

    def play(self) -> None:
        """For a table whose meter nobody shares."""
        self.open_and_bet()
        self.late_chips()
        self.finish()

    # first part

    def open_and_bet(self) -> int:
        """Everything up to "No more bets". Answers how many progressive bets lie there."""
        self.open()
        self.take_bets()
        self.say("BetsClosed")
        return sum(1 for c in self.chips if c.bet == "progressive")

    def read_meter(self) -> int:
        """The meter is read. Answers when; the amount is filled in by `show_meter`."""
        self.late_chips()
        self.say("JackpotRead", amount=0, jackpot=self.table.jackpot)
        return self.now_us

    def show_meter(self, cents: int) -> None:
        self.meter_cents = cents
        self.steps[-1][2]["amount"] = cents

    def take_bets(self) -> None:
        for number, guest in self.table.party.playing():
            box = PokerBox(number, guest)
            self.boxes.append(box)
            self.bet(box, guest)

    def bet(self, box: PokerBox, guest: Guest) -> None:
        """Ante, Pair Plus or both; the progressive bet only beside an Ante."""
        low, high = self.table.limits["ante"]
        pair_plus = guest.side_bets.get("pair_plus")
        only_pair_plus = pair_plus is not None and self.chance(0.12)
        habits = self.table.floor.guests
        if not only_pair_plus:
            cents = min(high, guest.stake_cents * (2 if self.chance(0.15) else 1))
            self.put(box, "ante", cents)
            if self.chance(habits.bets_too_much):
                self.refuse(box.number, guest, "ante", high - cents + low)
            if cents >= 2 * low and self.chance(habits.changes_his_mind):
                self.take_back(box.bets["ante"], low)
        if pair_plus is not None and (only_pair_plus or self.chance(0.6)):
            self.put(box, "pair_plus", pair_plus)
            if not only_pair_plus and self.chance(habits.changes_his_mind):
                self.take_back(box.bets.pop("pair_plus"), pair_plus)
        wants_jackpot = self.table.jackpot and "progressive" in guest.side_bets
        if wants_jackpot and not only_pair_plus and self.chance(0.7):
            self.put(box, "progressive", self.table.floor.jackpot.bet)

    def put(self, box: PokerBox, bet: str, cents: int) -> Chips:
        chips = self.place(box.number, box.guest, bet, cents, seated=True)
        box.bets[bet] = chips
        return chips

    def late_chips(self) -> None:
        if self.chance(self.table.floor.guests.bets_late):
            box = self.boxes[-1]
            self.refuse(box.number, box.guest, "ante", self.table.limits["ante"][0])

    # second part

    def finish(self) -> None:
        """The deal, the decisions and the settlement."""
        try:
            self.run()
        except VoidedError as void:
            self.declare_void(void)
        self.close()

    def run(self) -> None:
        self.deal_all()
        self.decisions()
        self.reveal_dealer()
        self.settlement()

    def deal_all(self) -> None:
        """A card burnt, then one at a time; a shuffler gives sets of three and burns none."""
        if self.table.dealt_from == "shoe":
            self.burn()
        for box in self.order_of_deal():
            self.deal(box)

    def order_of_deal(self) -> list[PokerBox]:
        """Clockwise from the dealer's left, the dealer last."""
        ring = [*self.boxes, self.dealer]
        if self.table.dealt_from == "shuffler":
            return [box for box in ring for _ in range(3)]
        return ring * 3

    def burn(self) -> None:
        card = self.next_card()
        self.say("CardBurnt", draw=self.table.shoe.drawn, card=card)

    def next_card(self) -> str:
        try:
            return self.table.shoe.draw()
        except ShoeEmptyError:
            self.note("insufficient_cards")
            raise VoidedError("5.8.4", "no card left to deal") from None

    def deal(self, box: PokerBox, *, face_up: bool = False) -> None:
        card = self.next_card()
        draw = self.table.shoe.drawn
        box.cards.append(card)
        box.draws.append(draw)
        hand = 1 if box.number else 0
        self.say("CardDealt", draw=draw, box=box.number, hand=hand, card=card, face_up=face_up)

    def decisions(self) -> None:
        """Each player looks at one hand; the others he plays without looking."""
        looked: set[str] = {b.guest.ref for b in self.boxes if b.examined}
        for box in self.boxes:
            if not box.in_play:
                continue
            if box.guest.ref not in looked:
                looked.add(box.guest.ref)
                self.examine(box)
            self.decide(box)

    def examine(self, box: PokerBox) -> None:
        box.examined = True
        self.say("HandExamined", box=box.number, player=box.guest.ref)

    def decide(self, box: PokerBox) -> None:
        """Queen-six-four or better is worth playing; what he may not see is a matter of taste."""
        if box.examined:
            worth_it = ranks.rank(box.cards) >= (ranks.HIGH_CARD, 10, 4, 2)
            if self.chance(box.guest.error / 4):
                worth_it = not worth_it
        else:
            worth_it = self.chance(self.table.floor.guests.plays_blind)
        if worth_it:
            self.play_on(box)
        else:
            self.fold(box)

    def decision(self, box: PokerBox, what: str) -> None:
        self.say(
            "DecisionMade",
            box=box.number,
            hand=1,
            player=box.guest.ref,
            decision=what,
            new_hand=None,
        )

    def play_on(self, box: PokerBox) -> None:
        self.decision(box, "play")
        self.put(box, "play", box.bets["ante"].placed_cents)

    def fold(self, box: PokerBox) -> None:
        """Everything on the box is lost."""
        self.decision(box, "fold")
        self.lose_all(box)

    def lose_all(self, box: PokerBox) -> None:
        box.folded = True
        for chips in box.bets.values():
            if chips.settled is None:
                self.settle(chips, lost(chips))

    def reveal_dealer(self) -> None:
        self.say("HandRevealed", box=0, hand=0)
        self.seen("dealer qualifies" if ranks.qualifies(self.dealer.cards) else "dealer does not")

    def settlement(self) -> None:
        """Box by box; the envy bonus needs to know every hand, so it comes last."""
        for box in self.boxes:
            if any(c.settled is None for c in box.bets.values()):
                self.say("HandRevealed", box=box.number, hand=1)
                self.settle_box(box)
        for box in self.boxes:
            self.pay_envy(box)

    def settle_box(self, box: PokerBox) -> None:
        cards, dealer = box.cards, self.dealer.cards
        ante = box.open_bet("ante")
        if ante:
            self.settle(ante, pays.ante_money(ante, cards, dealer))
        play = box.open_bet("play")
        if play:
            self.settle(play, pays.play_money(play, cards, dealer))
        if ante:
            self.pay_ante_bonus(box, ante)
        pair_plus = box.open_bet("pair_plus")
        if pair_plus:
            self.settle(pair_plus, pays.pair_plus_money(pair_plus, cards))
            self.seen(f"pays pair_plus {ranks.NAMES[ranks.rank(cards)[0]]}")
        progressive = box.open_bet("progressive")
        if progressive:
            self.settle_progressive(box, progressive)

    def pay_ante_bonus(self, box: PokerBox, ante: Chips) -> None:
        cents = pays.ante_bonus_cents(ante, box.cards)
        if cents:
            self.pay_extra(box.number, box.guest.ref, "ante_bonus", cents, "final")
            self.seen(f"pays ante_bonus {ranks.NAMES[ranks.rank(box.cards)[0]]}")

    def settle_progressive(self, box: PokerBox, chips: Chips) -> None:
        """The chip is collected, won or not; the top hand takes the meter as it was read."""
        row = pays.progressive_row(box.cards)
        self.settle(chips, (0, pays.progressive_cents(box.cards, self.meter_cents)))
        if row:
            self.seen(f"pays progressive {row}")
        if row == "AKQ spades":
            self.jackpot_won_us = self.now_us

    def pay_envy(self, box: PokerBox) -> None:
        """For every top hand of somebody else who had an Ante and did not fold."""
        if "progressive" not in box.bets or box.folded:
            return
        cents = sum(
            pays.envy_cents(other.cards)
            for other in self.boxes
            if other.guest is not box.guest and "ante" in other.bets and not other.folded
        )
        if cents:
            self.pay_extra(box.number, box.guest.ref, "envy_bonus", cents, "final")
            self.seen(f"pays envy_bonus {cents // 100}")
