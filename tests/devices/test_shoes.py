"""Shoes deal only what they have, in any order that chance or a recipe gives."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from events.devices.cards import DECK_48, DECK_52, Shoe, ShoeEmptyError


def drain(shoe: Shoe) -> list[str]:
    return [shoe.draw() for _ in range(shoe.left)]


def test_decks_are_the_decks_of_the_texts() -> None:
    assert len(DECK_52) == len(set(DECK_52)) == 52
    assert len(DECK_48) == 48
    assert not [card for card in DECK_48 if card[0] == "T"]


@pytest.mark.parametrize("decks", [1, 4, 8])
def test_a_shoe_gives_every_card_once_for_each_deck(decks: int) -> None:
    shoe = Shoe("S", DECK_48, decks, Random(1))
    assert Counter(drain(shoe)) == Counter(DECK_48 * decks)
    assert shoe.left == 0
    assert shoe.drawn == 48 * decks
    with pytest.raises(ShoeEmptyError):
        shoe.draw()


def test_staged_cards_come_next_and_the_shoe_stays_whole() -> None:
    shoe = Shoe("S", DECK_52, 4, Random(2))
    assert shoe.stage(["7S", None, "7S"])
    cards = drain(shoe)
    assert cards[0] == cards[2] == "7S"
    assert Counter(cards) == Counter(DECK_52 * 4)


def test_a_card_that_is_not_inside_can_not_be_staged() -> None:
    shoe = Shoe("S", DECK_48, 1, Random(3))
    assert not shoe.stage(["AS", "AS"])
    assert Counter(drain(shoe)) == Counter(DECK_48)


def test_two_cards_change_places() -> None:
    one, other = Shoe("S", DECK_52, 1, Random(4)), Shoe("S", DECK_52, 1, Random(4))
    other.swap_next_two()
    assert other.drawn == 0
    first, second = one.draw(), one.draw()
    assert (other.draw(), other.draw()) == (second, first)


def test_a_shoe_that_was_not_shuffled_shows_it() -> None:
    shoe = Shoe("S", DECK_52, 1, Random(5))
    shoe.shuffled = False
    assert drain(shoe) == list(DECK_52[::-1])


def test_the_cut_card_ends_a_shoe() -> None:
    shoe = Shoe("S", DECK_52, 1, Random(6), cut=50)
    shoe.draw()
    assert not shoe.past_the_cut
    shoe.draw()
    assert shoe.past_the_cut
