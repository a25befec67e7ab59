"""Doubles whose chips were taken off without the player's word for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.answer import Key
from replay.cards import value
from replay.facts import Round
from replay.stakes import called_off

if TYPE_CHECKING:
    from replay.twentyone.hands import Hand
    from replay.twentyone.table import TwentyOneTable


def without_a_word(table: TwentyOneTable) -> frozenset[Key]:
    """Doubles that count as withdrawn because their chips left while the text allowed it.

    That is one of two readings; in the other they are chips that were withdrawn too late.
    """
    round_ = table.round
    out = set()
    for at, key, _ in round_.withdrawn:
        bet = round_.bets.get(key)
        if key[3] != "double" or bet is None or called_off(round_, bet):
            continue
        hand = table.hand_at(*key[:2])
        if hand is None or _taken(round_, key) < bet.stake:
            continue
        total = _total(table, hand, at)
        if total is None or not table.readings.other("double-taken-back-without-a-word"):
            continue
        hand.withdrew.setdefault(bet.player, at)
        hand.withdrew_on.setdefault(bet.player, total)
        out.add(key)
    return frozenset(out)


def _taken(round_: Round, key: Key) -> int:
    return sum(amount for _, other, amount in round_.withdrawn if other == key)


def _total(table: TwentyOneTable, hand: Hand, at: int) -> int | None:
    """The hand's total then, where the double could be withdrawn at that moment."""
    cards = [card for card in hand.cards if card.at < at]
    if not any(card.at > hand.doubled_at for card in cards) or table.dealer_second_at < at:
        return None
    total, _ = value([card.face for card in cards], 2 if table.game.low_aces else 0)
    return total if total <= table.game.withdraw_up_to else None
