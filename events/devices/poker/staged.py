"""Rare rounds of 3 Card Poker, brought about by arranging the next cards."""

from __future__ import annotations

from dataclasses import dataclass

from events.devices.people import Guest
from events.devices.poker.play import PokerBox, PokerRound
from events.devices.script import SimulatedRound


@dataclass(frozen=True, slots=True)
class PokerRecipe:
    """The first box's cards and the dealer's, and whether the first box has an Ante at all."""

    cards: str
    dealer: str = "9H 7D 2C"
    ante: bool = True


class StagedPokerRound(PokerRound):
    """A round that follows a recipe; everybody has a progressive bet where there is a meter."""

    recipe: PokerRecipe

    def bet(self, box: PokerBox, guest: Guest) -> None:
        star = len(self.boxes) == 1
        pair_plus = self.table.limits["pair_plus"][0]
        if star and not self.recipe.ante:
            self.put(box, "pair_plus", pair_plus)
            return
        self.put(box, "ante", guest.stake_cents)
        if star:
            self.put(box, "pair_plus", pair_plus)
        if self.table.jackpot:
            self.put(box, "progressive", self.table.floor.jackpot.bet)

    def deal_all(self) -> None:
        mine, his = self.recipe.cards.split(), self.recipe.dealer.split()
        fixed: list[str | None] = [None] if self.table.dealt_from == "shoe" else []
        for box in self.order_of_deal():
            if box is self.boxes[0]:
                fixed.append(mine.pop(0))
            elif box is self.dealer:
                fixed.append(his.pop(0))
            else:
                fixed.append(None)
        company = any(box.guest is not self.boxes[0].guest for box in self.boxes)
        self.happened = company and self.table.shoe.stage(fixed)
        super().deal_all()

    def decide(self, box: PokerBox) -> None:
        if box is self.boxes[0]:
            self.play_on(box)
        else:
            super().decide(box)


def _kind(recipe: PokerRecipe) -> type[StagedPokerRound]:
    return type("StagedPokerRound", (StagedPokerRound,), {"recipe": recipe})


STAGED_POKER: tuple[type[SimulatedRound], ...] = tuple(
    _kind(recipe)
    for recipe in (
        PokerRecipe("AS KS QS"),
        PokerRecipe("AH KH QH", "QS 9D 4C"),
        PokerRecipe("9D 8D 7D", "KS KD 2C"),
        PokerRecipe("3S 2S AS", "QS 9D 4C"),
        PokerRecipe("6S 6H 6D"),
        PokerRecipe("3S 2H AD", "QS 9D 4C"),
        PokerRecipe("TS 9H 8D", "TH 9D 8C"),
        PokerRecipe("KS 9S 4S", "AD AC 4H"),
        PokerRecipe("AC KC QC", "QS 9D 4C", ante=False),
        PokerRecipe("KS 9H 4D", "KD 9C 4H"),
    )
)
