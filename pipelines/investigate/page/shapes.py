"""What the pieces of the drawing are made of: a card's face, a stack of chips, a bet's label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pipelines.investigate.scene import SceneCard
from replay.findings import dollars

SUIT_PATHS = {
    "H": "M12 21C5 15 2 11.5 2 7.8 2 5 4.2 3 6.8 3 9 3 11 4.3 12 6.3 13 4.3 15 3 17.2 3 19.8 3 22 "
    "5 22 7.8 22 11.5 19 15 12 21Z",
    "D": "M12 1.5 20 12 12 22.5 4 12Z",
    "S": "M12 2C12 2 3 9 3 14.2 3 17 5 19 7.4 19 9 19 10.4 18.2 11.2 17 11 19.4 10 21 8.5 22h7c-1.5"
    "-1-2.5-2.6-2.7-5 .8 1.2 2.2 2 3.8 2 2.4 0 4.4-2 4.4-4.8C21 9 12 2 12 2Z",
    "C": "M12 2a4.6 4.6 0 0 0-3.6 7.5A4.6 4.6 0 1 0 11 16.6C10.9 19.2 10 21 8.5 22h7c-1.5-1-2.4-2.8"
    "-2.5-5.4A4.6 4.6 0 1 0 15.6 9.5 4.6 4.6 0 0 0 12 2Z",
}
SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
CHIP_COLOURS = (  # from this many cents on
    (100_000, "#d9822b"),
    (50_000, "#6b3fa0"),
    (10_000, "#22262a"),
    (2_500, "#2f7d4f"),
    (500, "#b8352f"),
    (0, "#6f8fae"),
)
TRAY = (
    "#6f8fae", "#b8352f", "#b8352f", "#2f7d4f", "#2f7d4f", "#22262a", "#22262a",
    "#6b3fa0", "#d9822b", "#b8352f", "#2f7d4f",
)  # fmt: skip
SHORT = {
    "player_pair": "pair",
    "under_13": "under 13",
    "over_13": "over 13",
    "pandemonium": "pandem.",
    "pair_plus": "pair plus",
    "progressive": "jackpot",
    "super_bonus": "super bonus",
    "super_bonus_share": "bonus share",
    "ante_bonus": "ante bonus",
    "envy_bonus": "envy bonus",
}


class Face(NamedTuple):
    """A card as it is drawn. Face down it still says what it is, because the device read it."""

    rank: str
    suit: str | None  # None where it belongs to no deck
    red: bool
    up: bool
    new: bool
    draw: int
    name: str


def face_of(card: SceneCard, *, new: bool) -> Face:
    suited = len(card.face) == 2 and card.face[1] in SUIT_PATHS
    rank = card.face[0].replace("T", "10") if suited else card.face
    suit = card.face[1] if suited else None
    return Face(
        rank=rank,
        suit=suit,
        red=suit in {"H", "D"},
        up=card.up,
        new=new,
        draw=card.draw,
        name=rank if suit is None else f"{rank} of {SUIT_NAMES[suit]}",
    )


class Stack(NamedTuple):
    """A little stack, seen from above; the colour says how much, as on a real table."""

    colour: str
    high: int


class BetLabel(NamedTuple):
    """A bet: its chips, how much, which bet, and what became of it."""

    stack: Stack | None
    amount: str
    label: str
    state: str
    tag: str


def bet_label(amount_cents: int, bet: str, settled: tuple[int, int] | None) -> BetLabel:
    return BetLabel(
        stack=_stack(amount_cents) if amount_cents else None,
        amount=dollars(amount_cents),
        label=SHORT.get(bet, bet.replace("_", " ")),
        state=_state(settled),
        tag=_tag(settled),
    )


def _stack(amount_cents: int) -> Stack:
    least, colour = next((least, c) for least, c in CHIP_COLOURS if amount_cents >= least)
    return Stack(colour, min(3, amount_cents // (least or 100)))


def _state(settled: tuple[int, int] | None) -> str:
    if settled is None:
        return ""
    back, won = settled
    return " won" if won else (" lost" if not back else " back")


def _tag(settled: tuple[int, int] | None) -> str:
    if settled is None:
        return ""
    back, won = settled
    return f"+{dollars(won)}" if won else ("lost" if not back else f"{dollars(back)} back")


def pill_width(words: str) -> float:
    """How wide a pill is: the page can't measure text, so the letters are counted."""
    return 14 + 8.2 * len(words)


_AMOUNT, _LABEL, _TAG = 9.0, 7.9, 7.9
"""Width of a letter of each text under a chip, in a wide font."""
CHIP = 13.5
"""A chip's radius."""
_ROWS = 3
"""Rows of chips for which a box has room before the edge of the table."""


def tokens_across(bets: Sequence[BetLabel], width: float) -> int:
    """How many bets of a box lie side by side: as many as their words leave room for."""
    widest = max((token_width(bet) for bet in bets), default=0.0)
    fit = 3 if widest <= width / 3 - 4 else 2 if widest <= width / 2 - 4 else 1
    return max(fit, min(3, -(-len(bets) // _ROWS)))


def token_width(bet: BetLabel) -> float:
    tag = 9 + _TAG * len(bet.tag) if bet.tag else 0.0
    return max(_AMOUNT * len(bet.amount), _LABEL * len(bet.label), tag)


def token_height(scale: float, *, shared: bool = False) -> float:
    """A chip, its amount and its name; below that the player, where several share the box."""
    return 2 * CHIP * scale + 34 + (13 if shared else 0)
