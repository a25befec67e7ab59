"""Irregularities at 3 Card Poker that concern cards, machines and guests."""

from __future__ import annotations

from typing import Any, ClassVar

from events.devices.poker.play import PokerBox, PokerRound
from events.devices.script import VoidedError
from events.devices.trouble.options import Options, PutsRight


class TroubledPoker(Options, PokerRound):
    """A round of 3 Card Poker in which something goes wrong."""

    def declare_void(self, void: VoidedError) -> None:
        self.happened = True
        super().declare_void(void)

    def give_back(self, box: PokerBox) -> None:
        """The hand is invalid and everything on the box goes back."""
        self.leave([c for c in box.bets.values() if c.settled is None])

    def boxes_with_ante(self) -> list[PokerBox]:
        return [box for box in self.boxes if box.in_play]


class ForeignPokerCard(TroubledPoker):
    """A joker is dealt, or burnt."""

    left = 0

    def deal_all(self) -> None:
        self.left = 1 + int(self.rng.random() * 3 * (len(self.boxes) + 1))
        super().deal_all()

    def next_card(self) -> str:
        card = super().next_card()
        self.left -= 1
        return "JOKER" if self.left == 0 else card

    def burn(self) -> None:
        super().burn()
        self.look(0)

    def deal(self, box: PokerBox, *, face_up: bool = False) -> None:
        super().deal(box, face_up=face_up)
        self.look(box.number)

    def look(self, number: int) -> None:
        if self.left == 0:
            self.note("foreign_card", box=number, hand=1 if number else 0, detail="JOKER")
            self.found(number)

    def found(self, number: int) -> None:
        raise VoidedError("5.8.1", "a card that is not of the set")


class PokerCardTwice(TroubledPoker):
    """The same card lies on the table twice: the deck has a card too many."""

    def deal_all(self) -> None:
        super().deal_all()
        # the dealer's last card turns out to be one that somebody else has
        twin = self.boxes[0].cards[0]
        self.dealer.cards[-1] = twin
        self.steps[-1][2]["card"] = twin

    def reveal_dealer(self) -> None:
        self.say("HandRevealed", box=0, hand=0)
        self.note("card_excess", by="pit_supervisor", detail=f"{self.dealer.cards[-1]} twice")
        raise VoidedError("5.8.3", "a card too many in the deck")


class PokerShortage(TroubledPoker):
    """Counting the deck shows that a card is not in it but on the floor."""

    kind: ClassVar[str] = "card_shortage"
    clause: ClassVar[str] = "5.8.3"

    def decisions(self) -> None:
        self.note(self.kind, by="pit_supervisor")
        raise VoidedError(self.clause, f"{self.kind.replace('_', ' ')} found by the pit")


class PokerNotShuffled(PokerShortage):
    kind = "not_shuffled"
    clause = "5.8.5"
    shuffles = False


class PokerRunsOut(TroubledPoker):
    """The machine gives no further card."""

    def deal(self, box: PokerBox, *, face_up: bool = False) -> None:
        if box is self.dealer and len(box.cards) == 2:
            self.note("insufficient_cards", detail="no further card from the machine")
            raise VoidedError("5.8.4", "not enough cards to go on")
        super().deal(box, face_up=face_up)


class EarlyPokerInterruption(TroubledPoker):
    """The lights go out while every card lies face down: the round is void."""

    def decisions(self) -> None:
        self.note("technical_interruption", detail="power failure")
        raise VoidedError("5.7.2", "interrupted before any outcome")


class LatePokerInterruption(TroubledPoker):
    """The dealer's hand is open when the lights go out: the round is played to its end."""

    def settlement(self) -> None:
        if any(c.settled is not None for c in self.chips):
            self.note("technical_interruption", detail="power failure")
            self.happened = True
        super().settlement()


class PokerFaceUpInShoe(TroubledPoker):
    """A card lies face up in the shoe; it is used as the next card."""

    def deal_all(self) -> None:
        self.note("card_face_up_in_shoe")
        self.happened = True
        super().deal_all()


class MeterFailsEarly(TroubledPoker):
    """The progressive system fails before anybody has looked: the round is void."""

    def decisions(self) -> None:
        self.note("jackpot_malfunction", by="system")
        raise VoidedError("5.16", "the progressive system failed")


class MeterFailsLate(TroubledPoker):
    """It fails after somebody has looked: play goes on, with the meter as it was."""

    def decide(self, box: PokerBox) -> None:
        if not self.happened and any(b.examined for b in self.boxes):
            self.note("jackpot_malfunction", by="system")
            self.happened = True
        super().decide(box)


class LooksAtTwoHands(TroubledPoker):
    """A player with two hands looks at both: on purpose, the second is out."""

    ruling: ClassVar[str] = "intentional_examination"

    def take_bets(self) -> None:
        """Somebody takes a second box for this round, if nobody has two."""
        super().take_bets()
        taken = {box.number for box in self.boxes}
        free = [n for n in range(1, self.table.boxes + 1) if n not in taken]
        first = next((b for b in self.boxes if "ante" in b.bets), None)
        if first is None or self.second_hand(first, of_any=True) or not free:
            return
        extra = PokerBox(free[-1], first.guest)
        self.put(extra, "ante", first.bets["ante"].placed_cents)
        self.boxes = sorted([*self.boxes, extra], key=lambda box: box.number)

    def decide(self, box: PokerBox) -> None:
        super().decide(box)
        second = self.second_hand(box)
        if second is None or self.happened:
            return
        self.happened = True
        self.examine(second)
        where: dict[str, Any] = {"box": second.number, "hand": 1, "player": second.guest.ref}
        self.note("extra_hand_examined", **where)
        self.rule(self.ruling, "5.18", **where)
        if self.ruling == "intentional_examination":
            self.give_back(second)
            for draw in second.draws:
                self.say("CardDiscarded", draw=draw, reason="hand examined on purpose")

    def second_hand(self, box: PokerBox, *, of_any: bool = False) -> PokerBox | None:
        if not box.examined and not of_any:
            return None
        later = (b for b in self.boxes_with_ante() if b.number > box.number)
        return next((b for b in later if b.guest is box.guest), None)


class LooksByAccident(LooksAtTwoHands):
    """By accident, it stays."""

    ruling = "unintentional_examination"


class LeavesBeforeDeciding(TroubledPoker):
    """A player walks away with decisions open: each of those hands counts as folded."""

    def decide(self, box: PokerBox) -> None:
        if self.happened:
            super().decide(box)
            return
        self.happened = True
        self.note("player_left", box=box.number, player=box.guest.ref)
        for mine in self.undecided(box):
            self.lose_all(mine)

    def undecided(self, box: PokerBox) -> list[PokerBox]:
        """The hands of this box's player that he has not decided about."""
        hands = (b for b in self.boxes_with_ante() if b.guest is box.guest)
        return [b for b in hands if "play" not in b.bets]


class LeavesAfterDeciding(LeavesBeforeDeciding):
    """A player walks away with nothing left to decide: his bets are settled."""

    def decide(self, box: PokerBox) -> None:
        super(LeavesBeforeDeciding, self).decide(box)
        if not self.happened and "play" in box.bets and not self.undecided(box):
            self.happened = True
            self.note("player_left", box=box.number, player=box.guest.ref)


class MisplacedPokerChips(TroubledPoker):
    """Chips that a player says he did not mean: they count where they lie."""

    def deal_all(self) -> None:
        box = self.boxes[0]
        detail = "says his chips were meant for another box"
        self.note("bet_error", box=box.number, hand=1, player=box.guest.ref, detail=detail)
        self.happened = True
        super().deal_all()


class PokerCorrected(PutsRight, TroubledPoker):
    """A payment put right, at 3 Card Poker."""
