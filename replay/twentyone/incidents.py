"""Whose bets a dealing error leaves open: what was settled before it, and who bets where."""

from __future__ import annotations

from collections.abc import Mapping

from replay.answer import Key
from replay.cards import value
from replay.facts import NEVER
from replay.twentyone.table import Table


def settled_before(table: Table, key: Key, at: int, *, at_once: bool) -> bool:
    """Whether a bet was settled before a moment: recorded, or decided at once by the text."""
    round_ = table.round
    recorded = [settled.at for settled in round_.settled if settled.key == key]
    if recorded:
        return recorded[0] < at
    if key[3] not in {"initial", "split", "double", "insurance"}:  # side bets: before further cards
        return table.extra_at < at
    hand = table.hand_at(key[0], key[1])
    if hand is None or key[3] == "insurance":
        return False
    # the last card before that moment is the one in question: nothing was settled on it yet
    last = max((card.at for card in round_.cards if card.at < at), default=-1)
    cards = [card for card in hand.cards if card.at < last]
    if len(cards) < 2 or table.drawing_at > at:
        return False  # nothing is paid before the initial deal is complete
    total = _total(hand.doubled_at, [card.face for card in cards], low_aces=table.game.low_aces)
    return total > 21 or (at_once and total == 21)


def _total(doubled_at: int, faces: list[str], *, low_aces: bool) -> int:
    low = 2 if low_aces and doubled_at != NEVER and len(faces) > 2 else 0
    return value(faces, low)[0]


def players_of(stakes: Mapping[Key, object]) -> dict[tuple[int, str], list[Key]]:
    """The bets of each player on each box."""
    out: dict[tuple[int, str], list[Key]] = {}
    for key in stakes:
        out.setdefault((key[0], key[2]), []).append(key)
    return out
