"""Dealing errors at 3 Card Poker. What follows hangs on whether anybody has looked at his cards."""

from __future__ import annotations

from typing import Any, ClassVar

from events.devices.poker.play import PokerBox
from events.devices.script import SimulatedTable, VoidedError
from events.devices.trouble.poker import TroubledPoker


class HandsToWrongBoxes(TroubledPoker):
    """The dealer begins one box too far; whole hands are moved, and nobody is asked."""

    def deal_all(self) -> None:
        if len(self.boxes) < 2:
            super().deal_all()
            return
        boxes, dealt = self.boxes, [*self.boxes[1:], self.boxes[0]]
        self.boxes = dealt
        super().deal_all()
        self.boxes = boxes
        self.note("dealing_error", box=boxes[0].number, detail="began with the wrong box")
        self.rule("reconstructable", "5.8.6")
        self.move_hands(dealt)
        self.happened = True

    def move_hands(self, dealt: list[PokerBox]) -> None:
        """Whole hands, from the boxes as they were dealt to in their proper order."""
        hands = [(box.cards, box.draws) for box in dealt]
        moves = []
        for box, (cards, draws) in zip(self.boxes, hands, strict=True):
            moves += [{"draw": draw, "box": box.number, "hand": 1} for draw in draws]
            box.cards, box.draws = cards, draws
        self.say("CardsMoved", moves=moves)


class HandToEmptyBox(TroubledPoker):
    """A set from the shuffler goes to a box without a bet, and is moved to the next with one."""

    @classmethod
    def fits(cls, table: SimulatedTable) -> bool:
        return table.dealt_from == "shuffler"

    def deal_all(self) -> None:
        taken = {box.number for box in self.boxes}
        empty = [n for n in range(1, max(taken)) if n not in taken]
        if not empty:
            super().deal_all()
            return
        wrong = empty[0]
        for box in [*self.boxes, self.dealer]:
            meant = box.number
            if not self.happened and meant > wrong:
                self.happened = True
                self.deal_to(box, wrong)
                self.note("cards_to_empty_box", box=wrong, hand=1)
                self.rule("reconstructable", "5.8.6")
                moves = [{"draw": draw, "box": meant, "hand": 1} for draw in box.draws]
                self.say("CardsMoved", moves=moves)
            else:
                self.deal_to(box, meant)

    def deal_to(self, box: PokerBox, number: int) -> None:
        """Three cards that are this box's, laid down at a number."""
        meant, box.number = box.number, number
        for _ in range(3):
            self.deal(box)
        box.number = meant


class MixedUpPokerCards(TroubledPoker):
    """Two boxes got each other's last card; nobody has looked, so the round is void."""

    def order_of_deal(self) -> list[PokerBox]:
        order = super().order_of_deal()
        if len(self.boxes) >= 2:
            second, first = order.index(self.boxes[1]), order.index(self.boxes[0])
            order[first], order[second] = order[second], order[first]
            self.happened = True
        return order

    def decisions(self) -> None:
        if self.happened:
            self.happened = False
            self.notice()
        super().decisions()

    def notice(self) -> None:
        self.note("dealing_error", box=self.boxes[0].number, detail="cards mixed up")
        self.rule("not_reconstructable", "5.8.6", by="pit_manager")
        raise VoidedError("5.8.6", "dealt wrongly, and nobody had looked")


class MixedUpAndSeen(MixedUpPokerCards):
    """The same, after somebody has looked: the two players may go on or take their bets back."""

    def notice(self) -> None:
        pair = self.boxes[:2]
        looker = next((b for b in self.boxes_with_ante()), None)
        if looker is None:
            super().notice()
            return
        self.examine(looker)
        for box in pair:
            self.note("dealing_error", box=box.number, hand=1, detail="cards mixed up")
        self.rule("not_reconstructable", "5.10", by="pit_manager")
        self.happened = True
        self.offer_options({box.number for box in pair})


class TwoPokerCardsAtOnce(TroubledPoker):
    """Two cards come out together: the pit says which was first, and everybody is asked."""

    @classmethod
    def fits(cls, table: SimulatedTable) -> bool:
        return table.dealt_from == "shoe"

    def deal(self, box: PokerBox, *, face_up: bool = False) -> None:
        if not self.happened and len(box.cards) == 1 and box.number:
            self.happened = True
            self.note("simultaneous_cards", box=box.number, hand=1)
            self.rule("card_order", "5.14", box=box.number, hand=1)
        super().deal(box, face_up=face_up)

    def decisions(self) -> None:
        self.offer_options()
        super().decisions()


class NoBurn(TroubledPoker):
    """The dealer forgets to burn a card; before anybody looks, every card moves up by one."""

    @classmethod
    def fits(cls, table: SimulatedTable) -> bool:
        return table.dealt_from == "shoe"

    def burn(self) -> None:
        """Forgotten."""

    def deal_all(self) -> None:
        super().deal_all()
        self.note("missing_burn")
        self.put_right_burn()

    def put_right_burn(self) -> None:
        self.rule("reconstructable", "5.9")
        order = self.order_of_deal()
        dealt = sorted(
            (draw, card, box.number)
            for box in [*self.boxes, self.dealer]
            for draw, card in zip(box.draws, box.cards, strict=True)
        )
        self.say("CardDiscarded", draw=dealt[0][0], reason="burnt, as it should have been")
        for box in order:
            box.cards, box.draws = [], []
        moves = []
        for box, (draw, card, was) in zip(order, dealt[1:], strict=False):
            box.cards.append(card)
            box.draws.append(draw)
            if was != box.number:
                moves.append({"draw": draw, "box": box.number, "hand": 1 if box.number else 0})
        self.say("CardsMoved", moves=moves)
        self.deal(self.dealer)
        self.happened = True
        self.offer_options()


class NoBurnForGood(NoBurn):
    """The pit finds that the cards can't be put right: void."""

    def put_right_burn(self) -> None:
        self.rule("not_reconstructable", "5.9", by="pit_manager")
        raise VoidedError("5.9", "no card burnt, and the cards can't be put right")


class NoBurnSeen(NoBurnForGood):
    """Somebody has picked up his cards when it is noticed: void without further questions."""

    def put_right_burn(self) -> None:
        looker = next(iter(self.boxes_with_ante()), None)
        if looker is None:
            super().put_right_burn()
            return
        raise VoidedError("5.9", "no card burnt, and a player has looked")

    def note(self, kind: str, by: str = "dealer", **where: Any) -> None:
        """It is noticed only after the first player has looked."""
        for box in self.boxes_with_ante()[:1]:
            self.examine(box)
        super().note(kind, by, **where)


class TwoExposed(TroubledPoker):
    """Two cards are turned up in the deal and nobody has looked: void."""

    cards_exposed: ClassVar[int] = 2

    def deal(self, box: PokerBox, *, face_up: bool = False) -> None:
        done = sum(1 for _, kind, _ in self.steps if kind == "IrregularityNoted")
        slip = len(box.cards) == 2 and done < self.cards_exposed
        super().deal(box, face_up=slip)
        if slip:
            self.note("card_exposed", box=box.number, hand=1 if box.number else 0)
            self.exposed(box, done + 1)

    def exposed(self, box: PokerBox, so_far: int) -> None:
        if so_far == 2:
            raise VoidedError("5.8.2", "two cards exposed in the deal")


class OneExposed(TwoExposed):
    """One card is turned up and nobody has looked: that player may take his bets back."""

    cards_exposed = 1
    at = 0

    def exposed(self, box: PokerBox, so_far: int) -> None:
        self.happened = True
        self.at = box.number

    def decisions(self) -> None:
        self.offer_options({self.at} if self.at else None)
        super().decisions()


class ExposedAfterALook(OneExposed):
    """A card is turned up after a player has picked up his: play goes on."""

    def deal(self, box: PokerBox, *, face_up: bool = False) -> None:
        early = self.boxes[0]
        if len(early.cards) == 3 and not early.examined and early.in_play:
            self.examine(early)
        if early.examined:
            super().deal(box, face_up=face_up)
        else:
            super(TwoExposed, self).deal(box, face_up=face_up)

    def decisions(self) -> None:
        super(TwoExposed, self).decisions()


class CardTooMany(TroubledPoker):
    """A player gets four cards; his hand is out and his bets go back."""

    def star(self) -> PokerBox:
        return self.boxes[0]

    def deal_all(self) -> None:
        super().deal_all()
        box = self.star()
        self.deal(box)
        hand = 1 if box.number else 0
        self.note("wrong_card_count", box=box.number, hand=hand, detail="four cards")
        self.remedy(box)

    def remedy(self, box: PokerBox) -> None:
        self.rule("not_reconstructable", "5.15", box=box.number, hand=1)
        self.happened = True
        self.give_back(box)


class CardTooManyForDealer(CardTooMany):
    """The dealer gets four cards: void."""

    def star(self) -> PokerBox:
        return self.dealer

    def remedy(self, box: PokerBox) -> None:
        self.rule("not_reconstructable", "5.8.7", box=0, hand=0)
        raise VoidedError("5.8.7", "the dealer had the wrong number of cards")
