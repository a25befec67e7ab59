"""Bonuses that are not paid, rounds that should be void and are played, and the other way round."""

from __future__ import annotations

from typing import ClassVar

from events.devices.chips import Truth
from events.devices.poker.play import PokerRound
from events.devices.poker.staged import PokerRecipe, StagedPokerRound
from events.devices.script import SimulatedRound, SimulatedTable, VoidedError
from events.devices.trouble.poker import ForeignPokerCard
from events.devices.trouble.twentyone import ForeignCard, NotShuffled, WrongNumberOfCards
from events.devices.twentyone.hands import SimulatedHand
from events.devices.twentyone.play import TwentyOneRound
from events.devices.twentyone.staged import StagedRound, TwentyOneRecipe


class MissedBonus(SimulatedRound):
    """A payment without a stake is due to a seated player, and the dealer forgets it."""

    forgets: ClassVar[str]

    def before_close(self) -> None:
        seated = {(c.box, c.guest.ref) for c in self.chips if c.seated}
        for n, (_, kind, fields) in enumerate(self.steps):
            due = kind == "BetSettled" and fields["bet"] == self.forgets
            if due and (fields["box"], fields["player"]) in seated:
                del self.steps[n]
                where = (fields["box"], 1, fields["player"], self.forgets)
                self.planted = Truth("missed_bonus", *where)
                return


class MissedSuperBonus(MissedBonus, StagedRound):
    recipe = TwentyOneRecipe("7H 7H 7H", "7S", "hit", stake_cents=50_00)
    forgets = "super_bonus"


class MissedShare(MissedBonus, StagedRound):
    recipe = TwentyOneRecipe("7D 7D 7D", "7S", "hit", stake_cents=50_00)
    forgets = "super_bonus_share"


class FromShoe(PokerRound):
    """Only where a card is burnt: whether a shuffler must burn one is a matter of reading."""

    @classmethod
    def fits(cls, table: SimulatedTable) -> bool:
        return table.dealt_from == "shoe"


class MissedAnteBonus(MissedBonus, FromShoe, StagedPokerRound):
    recipe = PokerRecipe("TS 9H 8D", "QS 9D 4C")
    forgets = "ante_bonus"


class MissedEnvyBonus(MissedBonus, FromShoe, StagedPokerRound):
    recipe = PokerRecipe("AD KD QD", "JS 9D 4C")
    forgets = "envy_bonus"


class PlayedWithForeignCard(ForeignCard):
    """The foreign card is put aside and another drawn, as if that were enough."""

    def found(self, hand: SimulatedHand | None, draw: int) -> str:
        self.say("CardDiscarded", draw=draw, reason="not of the set")
        self.planted = Truth("missed_void")
        return self.deal(hand)


class PlayedWithShortage(WrongNumberOfCards):
    """A card is missing, everybody knows it, and play goes on."""

    ends_shoe = True

    def before_play(self) -> None:
        self.note(self.kind, by="pit_supervisor", detail="one card, found at the table")
        self.planted = Truth("missed_void")
        super(WrongNumberOfCards, self).before_play()


class PlayedUnshuffled(NotShuffled):
    """The cards were not shuffled, and nobody says a word."""

    ends_shoe = True

    def before_play(self) -> None:
        self.planted = Truth("missed_void")
        super(NotShuffled, self).before_play()


class PlayedWithForeignPokerCard(ForeignPokerCard):
    """A joker at 3 Card Poker is put aside and another card dealt in its place."""

    def found(self, number: int) -> None:
        draw = self.table.shoe.drawn
        self.planted = Truth("missed_void")
        box = next((b for b in [*self.boxes, self.dealer] if "JOKER" in b.cards), None)
        if box is None:
            return  # it was burnt, which does not undo it
        self.say("CardDiscarded", draw=draw, reason="not of the set")
        box.cards.pop()
        box.draws.pop()
        self.deal(box)


class WrongVoid21(TwentyOneRound):
    """All cards are on the table when the round is declared void for no reason in the text."""

    def final_settlement(self) -> None:
        self.planted = Truth("wrong_void")
        raise VoidedError(self.game.late_clause, "a player came late with his chips")


class WrongVoidPoker(FromShoe):
    """The same at 3 Card Poker."""

    def settlement(self) -> None:
        self.planted = Truth("wrong_void")
        raise VoidedError("5.11", "a player came late with his chips")
