"""How three cards rank (3.1.1 to 3.1.3), which dealer's hand qualifies (1.16), and the jackpot's
own list of hands (3.17).

A ranking is one number that compares as the text compares: the kind of hand in the top digits,
then its cards from the one that decides first to the one that decides last.
"""

from __future__ import annotations

from collections.abc import Sequence

from replay.cards import DECK_52, SUITS

ODD_CARDS, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH = range(6)
NAMES = ("three odd cards", "pair", "flush", "straight", "three of a kind", "straight flush")

VALUE: dict[str, int] = {
    rank + suit: value for value, rank in enumerate("23456789TJQKA", 2) for suit in SUITS
}
ACE, KING, QUEEN = 14, 13, 12
QUEEN_HIGH = QUEEN << 8
"""The lowest ranking that qualifies: every hand with a queen or better on top is above it."""


def ranking(faces: Sequence[str]) -> int:
    """The ranking of a hand. Suits are equal; the ace is low in 3-2-A only.

    Of a hand that nobody noticed to be too long, the first three cards dealt are the hand.
    """
    if len(faces) < 3:
        return _of_a_short_hand(faces)
    one, two, three = faces[:3]
    a, b, c = sorted((_value(one), _value(two), _value(three)), reverse=True)
    flush = one[-1:] == two[-1:] == three[-1:]
    if a == ACE and b == 3 and c == 2:
        a, b, c = 3, 2, 1
    if a == b + 1 and b == c + 1:
        kind = STRAIGHT_FLUSH if flush else STRAIGHT
    elif a == c:
        kind = THREE
    elif flush:
        kind = FLUSH
    elif a == b:
        kind = PAIR
    elif b == c:
        kind = PAIR
        a, c = b, a
    else:
        kind = ODD_CARDS
    return kind << 12 | a << 8 | b << 4 | c


def _value(face: str) -> int:
    """A card that belongs to no deck counts nothing: the round is void because of it."""
    return VALUE.get(face, 0)


def _of_a_short_hand(faces: Sequence[str]) -> int:
    """A hand that nobody noticed to be short, as it was accepted.

    There is a pair or there is not, because every other kind is made of three cards.
    """
    values = sorted(map(_value, faces), reverse=True)
    kind = PAIR if len(values) == 2 and values[0] == values[1] else ODD_CARDS
    return kind << 12 | sum(v << shift for v, shift in zip(values, (8, 4), strict=False))


def kind_of(rank: int) -> int:
    return rank >> 12


def qualifies(rank: int) -> bool:
    """Queen high, or anything that ranks above it."""
    return rank >= QUEEN_HIGH


SPADES, SUITED, MINOR_FLUSH, MINOR_THREE, MINOR_STRAIGHT = range(5)
"""The rows of the jackpot's list, from the top. The first two earn others an envy bonus."""

TOP = STRAIGHT_FLUSH << 12 | ACE << 8 | KING << 4 | QUEEN


def jackpot_row(rank: int, faces: Sequence[str]) -> int | None:
    """The row of a hand in the jackpot's list, None where it is in none."""
    if rank == TOP:
        return SPADES if faces[0][1] == "S" else SUITED
    kind = rank >> 12
    if kind == STRAIGHT_FLUSH:
        return MINOR_FLUSH
    if kind == THREE:
        return MINOR_THREE
    return MINOR_STRAIGHT if kind == STRAIGHT else None


def hand_words(faces: list[str], doubled: bool, split: bool) -> str:
    """What people call a hand; nothing is doubled or split here."""
    if len(faces) != 3:
        return "1 card" if len(faces) == 1 else f"{len(faces)} cards"
    if not DECK_52.issuperset(faces):
        return "not a hand"
    return NAMES[kind_of(ranking(faces))]
