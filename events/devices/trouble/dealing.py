"""Dealing errors at the games of 21: put right where the cards allow it, with the players' options.

Pontoon Plus and Blackjack ask every player at the table; Pandemonium and MBS ask nobody, and make
the round void where the first cards can't be put right.
"""

from __future__ import annotations

from events.devices.trouble.twentyone import Troubled
from events.devices.twentyone.hands import SimulatedBox, SimulatedHand

Place = tuple[int, int]  # box and hand; 0 and 0 for the dealer


class WrongDeal(Troubled):
    """What the ways of dealing wrongly share."""

    @property
    def clause(self) -> str:
        """The paragraph on putting cards right."""
        return "5.9" if self.game.options_clause else self.game.voids["dealing_error"]

    def ask_players(self, *, may_leave: bool = True) -> None:
        if self.game.options_clause:
            self.offer_options(may_leave=may_leave)

    def show(self, place: Place) -> tuple[int, str]:
        """A card is dealt to a place, rightly or wrongly."""
        card = self.next_card()
        draw = self.table.shoe.drawn
        box, hand = place
        self.say("CardDealt", draw=draw, box=box, hand=hand, card=card, face_up=True)
        return draw, card

    def give(self, hand: SimulatedHand | None, draw: int, card: str) -> None:
        """The card counts for this hand."""
        if hand:
            hand.take(draw, card)
        else:
            self.dealer.append(card)

    def deal_wrongly(self, actual: list[Place], noted: str, box: int) -> None:
        """The first cards go to the wrong places and are then moved to the right ones."""
        intended = self.order_of_deal()
        places = [(h.box, h.number) if h else (0, 0) for h in intended]
        shown = [self.show(place) for place in actual]
        self.note(noted, box=box, detail="dealt in the wrong order")
        self.rule("reconstructable", self.clause)
        moves = [
            {"draw": shown[n][0], "box": places[n][0], "hand": places[n][1]}
            for n in range(len(actual))
            if actual[n] != places[n]
        ]
        self.say("CardsMoved", moves=moves)
        for hand, (draw, card) in zip(intended, shown, strict=False):
            self.give(hand, draw, card)
        for hand in intended[len(actual) :]:
            self.deal(hand)
        self.happened = True
        self.ask_players()


class SkippedBox(WrongDeal):
    """The dealer leaves a box out in the first pass, and sees it when its second card is due."""

    def initial_deal(self) -> None:
        if len(self.boxes) < 2:
            super().initial_deal()
            return
        intended = [(h.box, h.number) if h else (0, 0) for h in self.order_of_deal()]
        skipped = int(self.rng.random() * (len(self.boxes) - 1))
        box = self.boxes[skipped].number
        actual = [*intended[:skipped], *intended[skipped + 1 :]]
        self.deal_wrongly(actual, "dealing_error", box)


class FirstCardsToEmptyBox(WrongDeal):
    """A card of the first pass goes to a box without a bet."""

    def initial_deal(self) -> None:
        taken = {box.number for box in self.boxes}
        empty = [n for n in range(1, max(taken)) if n not in taken]
        if not empty:
            super().initial_deal()
            return
        wrong = empty[0]
        intended = [(h.box, h.number) if h else (0, 0) for h in self.order_of_deal()]
        at = sum(1 for number in taken if number < wrong)
        actual = [*intended[:at], (wrong, 1), *intended[at : len(self.boxes)]]
        self.deal_wrongly(actual, "cards_to_empty_box", wrong)


class MixedUpCards(WrongDeal):
    """Two boxes get their second cards in the wrong order, and nobody can say which is whose."""

    def initial_deal(self) -> None:
        if len(self.boxes) < 2:
            super().initial_deal()
            return
        order = self.order_of_deal()
        order[-1], order[-2] = order[-2], order[-1]
        for hand in order:
            self.deal(hand)
        box = self.boxes[-1].number
        self.note("dealing_error", box=box, detail="second cards mixed up")
        self.rule("not_reconstructable", self.clause, by="pit_manager")
        self.happened = True
        if not self.game.options_clause:
            raise self.void("dealing_error", "the cards can't be put right")
        self.ask_players()


class HitToWrongBox(WrongDeal):
    """A player's card lands on another box; it is moved to where it belongs.

    That is possible only before anything was settled in this part of the deal.
    """

    settled_before = 0

    def before_play(self) -> None:
        super().before_play()
        self.settled_before = self.settled_now()

    def settled_now(self) -> int:
        return sum(1 for c in self.chips if c.settled is not None)

    def carry_out(self, box: SimulatedBox, hand: SimulatedHand, decision: str) -> None:
        later = [b for b in self.boxes if b.number > box.number and b.first.live]
        too_late = self.settled_now() > self.settled_before
        if decision != "hit" or self.happened or too_late or not later:
            super().carry_out(box, hand, decision)
            return
        self.happened = True
        self.decision(hand, box.decider.ref, "hit")
        draw, card = self.show((later[0].number, 1))
        self.note("dealing_error", box=box.number, hand=hand.number, detail="card to another box")
        self.rule("reconstructable", self.clause)
        self.say("CardsMoved", moves=[{"draw": draw, "box": hand.box, "hand": hand.number}])
        self.ask_players(may_leave=hand.total + 10 <= 21)
        self.give(hand, draw, card)


class HitToEmptyBox(WrongDeal):
    """After bets were settled a card goes to a box without a bet: it is discarded."""

    def carry_out(self, box: SimulatedBox, hand: SimulatedHand, decision: str) -> None:
        taken = {b.number for b in self.boxes}
        empty = [n for n in range(1, self.table.boxes + 1) if n not in taken]
        settled = any(c.settled is not None for c in self.chips)
        if decision != "hit" or self.happened or not empty or not settled:
            super().carry_out(box, hand, decision)
            return
        self.happened = True
        self.decision(hand, box.decider.ref, "hit")
        draw, _ = self.show((empty[0], 1))
        self.note("cards_to_empty_box", box=empty[0], hand=1)
        self.say("CardDiscarded", draw=draw, reason="dealt to a box without a bet")
        self.ask_players(may_leave=False)
        self.deal(hand)


class TwoCardsAtOnce(WrongDeal):
    """Two cards come out together for a player: he chooses which he gets first."""

    def carry_out(self, box: SimulatedBox, hand: SimulatedHand, decision: str) -> None:
        if decision != "hit" or self.happened or self.table.shoe.left < 2:
            super().carry_out(box, hand, decision)
            return
        self.happened = True
        self.decision(hand, box.decider.ref, "hit")
        self.note("simultaneous_cards", box=box.number, hand=hand.number, player=box.decider.ref)
        if self.chance(0.5):
            self.table.shoe.swap_next_two()
        self.ask_players()
        if hand.live:
            self.deal(hand)


class TwoCardsForDealer(WrongDeal):
    """Two cards come out together for the dealer: both are discarded, another is drawn."""

    def dealer_plays(self) -> None:
        waiting = any(c.settled is None for c in self.chips)
        if waiting and self.dealer_draws() and self.table.shoe.left > 2:
            self.happened = True
            draws = [self.show((0, 0))[0] for _ in range(2)]
            self.note("simultaneous_cards", box=0, hand=0)
            self.rule("other", "5.12.1", box=0, hand=0, detail="both cards discarded")
            for draw in draws:
                self.say("CardDiscarded", draw=draw, reason="drawn at the same time as another")
            self.ask_players()
        super().dealer_plays()
