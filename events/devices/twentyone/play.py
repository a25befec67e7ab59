"""A round of 21 as it is played: the deal, the offers, the hands, the dealer.

Each step is a method of its own, so that an irregularity or a planted fault can change exactly
one of them and leave the rest of the round honest.
"""

from __future__ import annotations

from events.devices.cards import ShoeEmptyError
from events.devices.chips import Chips, halved, lost, won
from events.devices.script import SimulatedTable, VoidedError
from events.devices.twentyone import strategy
from events.devices.twentyone.betting import Betting
from events.devices.twentyone.games import GAMES
from events.devices.twentyone.hands import POINTS, SimulatedBox, SimulatedHand, count
from events.devices.twentyone.settling import Settling


class TwentyOneRound(Settling, Betting):
    """One round of any of the four games of 21."""

    def __init__(self, table: SimulatedTable, name: str, start_us: int) -> None:
        super().__init__(table, name, start_us)
        self.game = GAMES[table.rulebook]
        self.boxes: list[SimulatedBox] = []
        self.dealer: list[str] = []
        self.bonus_boxes: set[int] = set()

    def run(self) -> None:
        self.take_bets()
        self.close_bets()
        self.initial_deal()
        self.before_play()
        for box in self.boxes:
            self.play_box(box)
        self.dealer_plays()
        self.final_settlement()

    @property
    def up(self) -> int:
        """The points of the dealer's first card, an ace as 1."""
        return POINTS[self.dealer[0]]

    # cards

    def next_card(self) -> str:
        """The next card of the shoe; a shoe that runs out makes the round void."""
        try:
            return self.table.shoe.draw()
        except ShoeEmptyError:
            self.note("insufficient_cards")
            clause = self.game.voids.get("insufficient_cards", self.game.voids["foreign_card"])
            raise VoidedError(clause, "the shoe is empty") from None

    def deal(self, hand: SimulatedHand | None) -> str:
        """One card face up to a hand, or to the dealer."""
        card = self.next_card()
        box, number = (hand.box, hand.number) if hand else (0, 0)
        draw = self.table.shoe.drawn
        self.say("CardDealt", draw=draw, box=box, hand=number, card=card, face_up=True)
        if hand:
            hand.take(draw, card)
        else:
            self.dealer.append(card)
        return card

    def initial_deal(self) -> None:
        """One card to each box and the dealer, then a second to each box."""
        for hand in self.order_of_deal():
            self.deal(hand)

    def order_of_deal(self) -> list[SimulatedHand | None]:
        """Clockwise from the dealer's left; None is the dealer."""
        hands: list[SimulatedHand | None] = [box.first for box in self.boxes]
        return [*hands, None, *hands]

    # before any further card

    def before_play(self) -> None:
        """What is settled or offered between the first cards and the rest of the deal."""
        self.settle_side_bets()
        self.pay_naturals()
        if self.dealer[0][0] == "A":
            for box in self.boxes:
                self.offer_insurance(box)
        for box in self.boxes:
            self.offer_surrender(box)

    def offer_insurance(self, box: SimulatedBox) -> None:
        """Each player for himself, up to half his bet; a Blackjack may take even money instead."""
        habits = self.table.floor.guests
        for main in box.initial:
            if main.settled is not None:
                continue
            if self.game.even_money and box.first.natural and self.chance(habits.takes_even_money):
                self.take_even_money(box, main)
            elif self.chance(habits.insures):
                cents = main.counts_cents // (2 if self.chance(0.7) else 4)
                self.insure(box, main.guest, cents, seated=main.seated)

    def take_even_money(self, box: SimulatedBox, main: Chips) -> None:
        """One to one at once, whatever the dealer draws."""
        self.decision(box.first, main.guest.ref, "even_money")
        self.settle(main, won(main), "interim")

    def offer_surrender(self, box: SimulatedBox) -> None:
        """The seated player gives up half, for everybody on the box."""
        hand = box.first
        if not self.may_surrender(box):
            return
        sensible = strategy.wants_surrender(*hand.count(), self.up)
        # most guests never surrender, sensible or not
        share = 0.3 if sensible else box.decider.error / 20
        if self.chance(share):
            self.surrender(box)

    def may_surrender(self, box: SimulatedBox) -> bool:
        hand = box.first
        insured = any(c.settled is None for c in box.insurance)
        allowed = self.dealer[0][0] in self.game.surrender_on
        return allowed and hand.live and not hand.natural and not insured

    def surrender(self, box: SimulatedBox) -> None:
        """Blackjack gives half back at once; the Pontoon games wait for the dealer."""
        box.first.surrendered = True
        self.decision(box.first, box.decider.ref, "surrender")
        if not self.game.pays_21_at_once:
            for chips in box.first.chips:
                if chips.settled is None:
                    self.settle(chips, halved(chips), "interim")

    # the hands

    def play_box(self, box: SimulatedBox) -> None:
        """All hands of a box, those made by splitting too."""
        first = box.first
        if not first.live or first.surrendered or first.natural:
            return
        played = 0
        while played < len(box.hands):
            self.play_hand(box, box.hands[played])
            played += 1

    def play_hand(self, box: SimulatedBox, hand: SimulatedHand) -> None:
        """Decisions and cards until the hand is finished."""
        while hand.live:
            if len(hand.cards) == 1:
                self.deal(hand)
            total, soft = hand.count()
            if total > 21:
                self.settle_hand(hand, lost)
                return
            if total == 21:
                self.reached_21(box, hand, soft=soft)
                return
            if hand.doubled or (hand.from_split and hand.cards[0][0] == "A"):
                return
            decision = self.decide(box, hand)
            if decision == "stand":
                self.decision(hand, box.decider.ref, "stand")
                return
            self.carry_out(box, hand, decision)

    def reached_21(self, box: SimulatedBox, hand: SimulatedHand, *, soft: bool) -> None:
        """The Pontoon games pay at once; at Blackjack a hard 21 could go on, and stands."""
        if self.game.pays_21_at_once:
            self.pay_21(hand)
        elif not soft and not hand.doubled:
            self.decision(hand, box.decider.ref, "stand")

    def decide(self, box: SimulatedBox, hand: SimulatedHand) -> str:
        """What the player in charge does next."""
        allowed = self.allowed(box, hand)
        return strategy.choose(hand, self.up, allowed, box.decider.error, self.rng)

    def allowed(self, box: SimulatedBox, hand: SimulatedHand) -> list[str]:
        """The decisions that the text leaves him with fewer than 21 points."""
        out = ["hit"]
        cards = hand.cards
        if hand.total >= max(12, self.game.lowest_stand):
            out.append("stand")
        if len(cards) == 2:
            out.append("double")
            aces_again = cards[0][0] == "A" and len(box.hands) > 1
            if POINTS[cards[0]] == POINTS[cards[1]] and len(box.hands) < 4 and not aces_again:
                out.append("split")
        return out

    def carry_out(self, box: SimulatedBox, hand: SimulatedHand, decision: str) -> None:
        if decision == "hit":
            self.decision(hand, box.decider.ref, "hit")
            self.deal(hand)
        elif decision == "double":
            self.double(box, hand)
        else:
            self.split(box, hand)

    def double(self, box: SimulatedBox, hand: SimulatedHand) -> None:
        """More chips and one more card; standing players may leave their chips at home."""
        self.decision(hand, box.decider.ref, "double")
        for main in hand.open_chips:
            if main.seated or self.chance(self.table.floor.guests.follows):
                cents = self.double_cents(main.counts_cents)
                self.add_to_hand(hand, main, "double", cents)
        hand.doubled = True
        self.deal(hand)
        if self.game.may_withdraw_double and hand.total < 21:
            self.offer_withdrawal(hand)

    def double_cents(self, main_cents: int) -> int:
        """As much as the main bet, or less; at MBS not under the table's minimum."""
        if not self.chance(self.table.floor.guests.doubles_for_less):
            return main_cents
        least = self.table.limits["initial"][0] if self.game.double_has_minimum else 100
        part = main_cents * self.rng.choice((1, 2, 3)) // 400 * 100
        return min(main_cents, max(least, part))

    def offer_withdrawal(self, hand: SimulatedHand) -> None:
        """Each player may save the doubled part and give up the rest."""
        poor = hand.total < 17
        share = self.table.floor.guests.withdraws_a_double if poor else 0.005
        for extra in [c for c in hand.open_chips if c.bet == "double"]:
            if self.chance(share):
                self.withdraw(hand, extra)

    def split(self, box: SimulatedBox, hand: SimulatedHand) -> None:
        """The second card makes a new hand; who does not follow stays on the first for good."""
        new = SimulatedHand(box.number, len(box.hands) + 1, low_aces=self.game.pays_21_at_once)
        new.from_split = hand.from_split = True
        self.decision(hand, box.decider.ref, "split", new.number)
        new.take(hand.draws.pop(), hand.cards.pop())
        box.hands.append(new)
        for main in hand.open_chips:
            out = any(all(c.guest is not main.guest for c in h.chips) for h in box.hands[1:-1])
            if main.seated or (not out and self.chance(self.table.floor.guests.follows)):
                self.add_to_hand(new, main, "split", main.counts_cents)

    # the dealer

    def dealer_plays(self) -> None:
        """He draws if any bet still waits for his hand."""
        if not any(c.settled is None for c in self.chips):
            return
        while self.dealer_draws():
            self.deal(None)

    def dealer_draws(self) -> bool:
        """To 16, and to a soft 17 where the text says so."""
        total, soft = count(self.dealer)
        return total < 17 or (total == 17 and soft and self.game.dealer_hits_soft_17)
