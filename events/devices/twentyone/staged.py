"""Rare rounds of 21, brought about by arranging the next cards; the shoe stays whole.

Each recipe is about the first box in play: its cards, the dealer's, and what its player does. The
others play as always.
"""

from __future__ import annotations

from dataclasses import dataclass

from events.devices.people import Guest
from events.devices.script import SimulatedRound, SimulatedTable
from events.devices.twentyone.games import BLACKJACK, MBS, PANDEMONIUM, PLUS, SimulatedGame
from events.devices.twentyone.hands import SimulatedBox, SimulatedHand
from events.devices.twentyone.play import TwentyOneRound
from events.devices.twentyone.settling import MULTIPLIERS


@dataclass(frozen=True, slots=True)
class TwentyOneRecipe:
    """`cards` are the first box's, in the order dealt; `dealer` his first card and those after."""

    cards: str
    dealer: str = "5H"
    decisions: str = ""
    stake_cents: int = 0
    insure: bool = False
    side: str = ""  # a side bet that must lie there
    multiplier: int = 0  # what the Pandemonium button shows


class StagedRound(TwentyOneRound):
    """A round that follows a recipe as far as the shoe and the limits let it."""

    recipe: TwentyOneRecipe

    def __init__(self, table: SimulatedTable, name: str, start_us: int) -> None:
        super().__init__(table, name, start_us)
        self._script = self.recipe.decisions.split()

    def _is_star(self, box: SimulatedBox) -> bool:
        return box is self.boxes[0]

    def stake_of(self, guest: Guest) -> int:
        if self.recipe.stake_cents and not self.chips:
            return max(self.table.limits["initial"][0], self.recipe.stake_cents)
        return super().stake_of(guest)

    def bet_seated(self, box: SimulatedBox, guest: Guest) -> None:
        super().bet_seated(box, guest)
        bet, first = self.recipe.side, self.chips[0].box == box.number
        if bet and first and not any(c.bet == bet for c in box.side):
            self.bet_on(box, guest, bet, self.table.limits[bet][0], seated=True)

    def press_button(self, box: SimulatedBox, guest: Guest) -> int:
        if not self.recipe.multiplier or not self._is_star(box):
            return super().press_button(box, guest)
        return self.show_multiplier(box, guest, self.recipe.multiplier)

    def initial_deal(self) -> None:
        mine, his = self.recipe.cards.split(), self.recipe.dealer.split()
        others: list[str | None] = [None] * (len(self.boxes) - 1)
        order: list[str | None] = [mine[0], *others, his[0], mine[1], *others, *mine[2:]]
        self.happened = self.table.shoe.stage(order)
        super().initial_deal()

    def offer_insurance(self, box: SimulatedBox) -> None:
        star = self._is_star(box)
        if star and self._script[:1] == ["even_money"]:
            for main in box.initial:
                self.take_even_money(box, main)
        elif star and self.recipe.insure:
            for main in box.initial:
                if main.settled is None:
                    self.insure(box, main.guest, main.placed_cents // 2, seated=main.seated)
        elif not star:
            super().offer_insurance(box)

    def offer_surrender(self, box: SimulatedBox) -> None:
        if not self._is_star(box):
            super().offer_surrender(box)
        elif self._script[:1] == ["surrender"] and self.may_surrender(box):
            self.surrender(box)

    def decide(self, box: SimulatedBox, hand: SimulatedHand) -> str:
        if self._is_star(box) and self._script:
            wanted = self._script.pop(0)
            if wanted in self.allowed(box, hand):
                return wanted
        return super().decide(box, hand)

    def offer_withdrawal(self, hand: SimulatedHand) -> None:
        if hand.box != self.boxes[0].number:
            super().offer_withdrawal(hand)
        elif self._script[:1] == ["withdraw_double"]:
            for extra in [c for c in hand.chips if c.bet == "double"]:
                self.withdraw(hand, extra)

    def dealer_plays(self) -> None:
        later = self.recipe.dealer.split()[1:]
        if later:
            self.table.shoe.stage(later)
        super().dealer_plays()


def _kind(recipe: TwentyOneRecipe) -> type[StagedRound]:
    return type("StagedRound", (StagedRound,), {"recipe": recipe})


_PONTOON = (
    TwentyOneRecipe("6S 7H 8D", decisions="hit"),
    TwentyOneRecipe("6H 7H 8H", decisions="hit"),
    TwentyOneRecipe("6S 7S 8S", decisions="hit"),
    TwentyOneRecipe("7S 7H 7D", decisions="hit"),
    TwentyOneRecipe("7D 7D 7D", decisions="hit"),
    TwentyOneRecipe("7S 7S 7S", decisions="hit"),
    TwentyOneRecipe("7C 7C 7C", "7H", "hit", stake_cents=50_00),
    TwentyOneRecipe("7S 7S 7S", "7D", "hit", stake_cents=150_00),
    TwentyOneRecipe("2S 3H 4D 5C 7S", decisions="hit hit hit"),
    TwentyOneRecipe("2S 3H 4D 2C 3S 7D", decisions="hit hit hit hit"),
    TwentyOneRecipe("2S 3H 2D 2C 3S 3D 6D", decisions="hit hit hit hit hit"),
    TwentyOneRecipe("8S 8H 8D 8C 3S 9H 2D KS", decisions="split split split"),
    TwentyOneRecipe("AS AH KD QC", decisions="split"),
    TwentyOneRecipe("KS QH AD JC", decisions="split stand stand"),
    TwentyOneRecipe("8S 8D 3H KS 2C KD", decisions="split double double"),  # split hands, doubled
    TwentyOneRecipe("5S 6H KD", decisions="double"),
    TwentyOneRecipe("AS 5H 4D", decisions="double"),
    TwentyOneRecipe("6S 5H 2D", decisions="double withdraw_double"),
    TwentyOneRecipe("9S 7H", "AH KD", "surrender"),
    TwentyOneRecipe("9S 7H", "KH 9D", "surrender"),
    TwentyOneRecipe("9S 9H", "AD JC", "stand", insure=True),
    TwentyOneRecipe("6S 5H 7D", "KS AD", "double"),
    TwentyOneRecipe("8S 8H 3D 9C", "QS AH", "split stand stand"),
    TwentyOneRecipe("8S 8H 2D 9C 7S", "AS KH", "split double stand"),
    TwentyOneRecipe("AS KH", "KD AC"),
    TwentyOneRecipe("7S 7S 9D 7S 3D", "7H", "split stand hit"),  # no super bonus for split sevens
)
_BLACKJACK = (
    TwentyOneRecipe("8S 8H 8D 8C 3S 9H 2D KS", decisions="split split split"),
    TwentyOneRecipe("AS AH TD QC", decisions="split"),
    TwentyOneRecipe("TS KH AD 9C", decisions="split stand"),
    TwentyOneRecipe("8S 8D 3H KS 2C KD", decisions="split double double"),
    TwentyOneRecipe("AS KH", "AD 5C", "even_money"),
    TwentyOneRecipe("AS KH", "AD KC"),
    TwentyOneRecipe("AS TH", "TD AC"),
    TwentyOneRecipe("AS TH", "TD 5C 6D"),
    TwentyOneRecipe("AS JH", "9D"),
    TwentyOneRecipe("5S 6H TD", "TS AD", "double"),
    TwentyOneRecipe("8S 8H 3D 9C", "QS AH", "split stand stand"),
    TwentyOneRecipe("8S 8H KD 9C 7S", "AS TH", "split hit stand"),
    TwentyOneRecipe("7S 7H 7D", "TS AD", "hit stand"),
    TwentyOneRecipe("9S 7H", "TH 9D", "surrender"),
    TwentyOneRecipe("9S 7H", "TH AD", "surrender"),
    TwentyOneRecipe("9S 9H", "AD JC", "stand", insure=True),
    TwentyOneRecipe("AS 6H 4D", decisions="double"),
)
_RECIPES: tuple[tuple[SimulatedGame, tuple[TwentyOneRecipe, ...]], ...] = (
    (
        PLUS,
        (*_PONTOON, TwentyOneRecipe("AH AH", side="bonus"), TwentyOneRecipe("AH AS", side="bonus")),
    ),
    (
        PANDEMONIUM,
        (
            *_PONTOON,
            *(
                TwentyOneRecipe("AS KH", side="pandemonium", multiplier=times)
                for times in MULTIPLIERS
            ),
        ),
    ),
    (MBS, _PONTOON),
    (BLACKJACK, _BLACKJACK),
)
STAGED_21: dict[str, tuple[type[SimulatedRound], ...]] = {
    game.rulebook: tuple(map(_kind, recipes)) for game, recipes in _RECIPES
}
