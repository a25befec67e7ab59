"""Decks and shoes. A shoe deals only cards that it has, each of the rest with the same chance."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

RANKS = "A23456789TJQK"
SUITS = "SHDC"
DECK_52 = tuple(rank + suit for suit in SUITS for rank in RANKS)
DECK_48 = tuple(card for card in DECK_52 if card[0] != "T")


class ShoeEmptyError(Exception):
    """A card was asked for and there is none left."""


class Shoe:
    """The cards of one shoe or shuffler load.

    The order is not fixed beforehand: each draw picks one of the cards that are left, which gives
    the same chances as a shuffle and never orders cards that nobody will see. `stage` brings
    chosen cards to the front, so that a rare hand can be shown without a card too many.
    """

    __slots__ = ("_ahead", "_cards", "_random", "cut", "decks", "drawn", "name", "shuffled")

    def __init__(
        self, name: str, deck: tuple[str, ...], decks: int, rng: Random, *, cut: int = 0
    ) -> None:
        self.name = name
        self.decks = decks
        self.shuffled = True
        self.cut = cut
        self.drawn = 0
        self._cards = list(deck) * decks
        self._random = rng.random
        self._ahead: list[str] = []

    @property
    def left(self) -> int:
        """How many cards are still inside."""
        return len(self._cards) + len(self._ahead)

    @property
    def past_the_cut(self) -> bool:
        """The cut card has come out: this round is the last of the shoe."""
        return self.left <= self.cut

    def draw(self) -> str:
        """The next card."""
        if self._ahead:
            self.drawn += 1
            return self._ahead.pop()
        cards = self._cards
        size = len(cards)
        if not size:
            raise ShoeEmptyError
        self.drawn += 1
        if not self.shuffled:
            return cards.pop()
        # take one and close the gap with the last card: constant time, no order kept
        index = int(self._random() * size)
        card, last = cards[index], cards.pop()
        if index < size - 1:
            cards[index] = last
        return card

    def stage(self, wanted: Sequence[str | None]) -> bool:
        """Let the next cards be these, None standing for any; False where one is not inside.

        Cards are taken from those inside, so the shoe stays whole.
        """
        left = list(self._cards)
        try:
            for card in wanted:
                if card is not None:
                    left.remove(card)
        except ValueError:
            return False
        if len(left) < wanted.count(None):
            return False
        self._cards = left
        order = [self._any() if card is None else card for card in wanted]
        self._ahead += order[::-1]
        return True

    def put_back(self, card: str) -> None:
        """The card just drawn goes back among the others, as if it had not come out."""
        self.drawn -= 1
        self._cards.append(card)

    def swap_next_two(self) -> None:
        """The next two cards come out in the other order."""
        first, second = self._pull(), self._pull()
        self._ahead += [first, second]

    def _pull(self) -> str:
        card = self.draw()
        self.drawn -= 1
        return card

    def _any(self) -> str:
        return self._cards.pop(int(self._random() * len(self._cards)))
