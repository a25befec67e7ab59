"""Irregularities at the games of 21 that stop the round, or that pass without consequence."""

from __future__ import annotations

from typing import ClassVar

from events.devices.cards import DECK_52
from events.devices.script import VoidedError
from events.devices.trouble.options import Options, PutsRight
from events.devices.twentyone.hands import SimulatedBox, SimulatedHand
from events.devices.twentyone.play import TwentyOneRound

JOKER = "JOKER"


class Troubled(Options, TwentyOneRound):
    """A round of 21 in which something goes wrong."""

    def declare_void(self, void: VoidedError) -> None:
        self.happened = True
        super().declare_void(void)

    def void(self, kind: str, reason: str) -> VoidedError:
        """The round is void on this ground, by the paragraph of this game."""
        return VoidedError(self.game.voids[kind], reason)


class ForeignCard(Troubled):
    """A joker, or a ten where there are none, comes out of the shoe."""

    left = 0

    def initial_deal(self) -> None:
        self.left = 1 + int(self.rng.random() * (2 * len(self.boxes) + 4))
        super().initial_deal()

    def deal(self, hand: SimulatedHand | None) -> str:
        self.left -= 1
        if self.left != 0:
            return super().deal(hand)
        self.next_card()  # it lay where another card belonged
        box, number = (hand.box, hand.number) if hand else (0, 0)
        draw = self.table.shoe.drawn
        card = self.foreign_card()
        self.say("CardDealt", draw=draw, box=box, hand=number, card=card, face_up=True)
        self.note("foreign_card", box=box, hand=number, detail=card)
        return self.found(hand, draw)

    def foreign_card(self) -> str:
        tens = [c for c in DECK_52 if c not in self.game.deck]
        return self.rng.choice(tens) if tens and self.chance(0.5) else JOKER

    def found(self, hand: SimulatedHand | None, draw: int) -> str:
        raise self.void("foreign_card", "a card that is not of the set")


class WrongNumberOfCards(Troubled):
    """The pit finds that the shoe has a card too few or too many."""

    kind: ClassVar[str] = "card_shortage"

    def before_play(self) -> None:
        self.note(self.kind, by="pit_supervisor", detail="one card, found at the table")
        raise self.void(self.kind, "the number of cards is not right")


class CardExcess(WrongNumberOfCards):
    kind = "card_excess"


class RunsOut(Troubled):
    """The dealer overlooks the cut card until there is no card left."""

    overlooks_the_cut = True
    patience = 400  # as long as a shoe may last


class NotShuffled(Troubled):
    """A shoe came into play as it was opened; the order of the cards gives it away."""

    wants_new_shoe = True
    shuffles = False

    def before_play(self) -> None:
        self.note("not_shuffled", by="pit_supervisor")
        raise self.void("not_shuffled", "the cards were not shuffled")


class EarlyInterruption(Troubled):
    """The lights go out before any box has two cards: no outcome, so the round is void."""

    def initial_deal(self) -> None:
        places = self.order_of_deal()
        for hand in places[: len(places) // 2 + 1]:
            self.deal(hand)
        self.note("technical_interruption", detail="power failure")
        raise self.void("technical_interruption", "interrupted before any outcome")


class LateInterruption(Troubled):
    """Some bets are settled when the lights go out: the round is played to its end."""

    def dealer_plays(self) -> None:
        if any(c.settled is not None for c in self.chips if not self.surrendered(c.box)):
            self.note("technical_interruption", detail="power failure")
            self.happened = True
        super().dealer_plays()

    def surrendered(self, number: int) -> bool:
        return any(b.number == number and b.first.surrendered for b in self.boxes)


class InterruptionWithoutClause(Troubled):
    """Where the text has no paragraph on it, play goes on."""

    def before_play(self) -> None:
        self.note("technical_interruption", detail="power failure")
        self.happened = True
        super().before_play()


class FaceUpInShoe(Troubled):
    """A card lies face up in the shoe; it is used as the next card."""

    def carry_out(self, box: SimulatedBox, hand: SimulatedHand, decision: str) -> None:
        if decision == "hit" and not self.happened:
            self.happened = True
            self.note("card_face_up_in_shoe")
        super().carry_out(box, hand, decision)


class PlayerLeft(Troubled):
    """A player walks away; alone on his box, he is drawn up to twelve and settled."""

    def play_box(self, box: SimulatedBox) -> None:
        first = box.first
        playable = first.live and not first.surrendered and not first.natural
        alone = len({c.guest.ref for c in self.chips if c.box == box.number}) == 1
        if self.happened or not playable or not alone or first.total >= 17:
            super().play_box(box)
            return
        self.happened = True
        self.note("player_left", box=box.number, player=box.decider.ref)
        while first.total < 12:
            self.deal(first)
        if first.total == 21 and self.game.pays_21_at_once:
            self.pay_21(first)


class MisplacedChips(Troubled):
    """A player says that his chips were meant for elsewhere; they count where they lie."""

    def close_bets(self) -> None:
        super().close_bets()
        box = self.boxes[0]
        detail = "says his chips were meant for another box"
        self.note("bet_error", box=box.number, hand=1, player=box.decider.ref, detail=detail)
        self.happened = True


class SqueezedCardExposed(Troubled):
    """A player may squeeze his cards; the dealer turns one of them up by mistake. It stands."""

    def deal(self, hand: SimulatedHand | None) -> str:
        star = self.boxes[-1]
        if hand is not star.first or len(hand.cards) > 1:
            return super().deal(hand)
        card, slip = self.next_card(), len(hand.cards) == 1
        draw = self.table.shoe.drawn
        self.say("CardDealt", draw=draw, box=hand.box, hand=1, card=card, face_up=slip)
        hand.take(draw, card)
        if slip:
            self.note("card_exposed", box=hand.box, hand=1)
            self.say("HandRevealed", box=hand.box, hand=1)
            self.happened = True
        return card


class Corrected(PutsRight, Troubled):
    """A payment put right, at a game of 21."""
