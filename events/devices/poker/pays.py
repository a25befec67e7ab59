"""What the dealer of 3 Card Poker pays, by the tables printed on the layout."""

from __future__ import annotations

from collections.abc import Sequence

from events.devices.chips import Chips, Money, lost, returned, won
from events.devices.poker import ranks
from events.devices.poker.ranks import Rank, is_royal, qualifies, rank

PAIR_PLUS = {
    ranks.STRAIGHT_FLUSH: 40,
    ranks.THREE: 30,
    ranks.STRAIGHT: 5,
    ranks.FLUSH: 4,
    ranks.PAIR: 1,
}
ANTE_BONUS = {ranks.STRAIGHT_FLUSH: 5, ranks.THREE: 4, ranks.STRAIGHT: 1}
MINOR_CENTS = {ranks.STRAIGHT_FLUSH: 175_00, ranks.THREE: 150_00, ranks.STRAIGHT: 15_00}
ROYAL_CENTS = 1250_00
ENVY_SPADES_CENTS, ENVY_OTHER_CENTS = 250_00, 50_00


def pair_plus_money(chips: Chips, cards: Sequence[str]) -> Money:
    times = PAIR_PLUS.get(rank(cards)[0])
    return lost(chips) if times is None else won(chips, (times, 1))


def ante_bonus_cents(ante: Chips, cards: Sequence[str]) -> int:
    """Paid on the Ante for a straight or better, whatever the dealer has."""
    return ante.counts_cents * ANTE_BONUS.get(rank(cards)[0], 0)


def ante_money(chips: Chips, cards: Sequence[str], dealer: Sequence[str]) -> Money:
    """Won by itself where the dealer does not qualify."""
    return _against(chips, rank(cards), dealer) if qualifies(dealer) else won(chips)


def play_money(chips: Chips, cards: Sequence[str], dealer: Sequence[str]) -> Money:
    """Goes back where the dealer does not qualify."""
    return _against(chips, rank(cards), dealer) if qualifies(dealer) else returned(chips)


def _against(chips: Chips, mine: Rank, dealer: Sequence[str]) -> Money:
    his = rank(dealer)
    if mine == his:
        return returned(chips)
    return won(chips) if mine > his else lost(chips)


def progressive_row(cards: Sequence[str]) -> str | None:
    """The row of the jackpot table, None where the hand is in none."""
    if is_royal(cards):
        return "AKQ spades" if cards[0][1] == "S" else "AKQ suited"
    kind = rank(cards)[0]
    return ranks.NAMES[kind] if kind in MINOR_CENTS else None


def progressive_cents(cards: Sequence[str], meter_cents: int) -> int:
    """The table's amount; the stake itself is collected in any case."""
    if is_royal(cards):
        return meter_cents if cards[0][1] == "S" else ROYAL_CENTS
    return MINOR_CENTS.get(rank(cards)[0], 0)


def envy_cents(cards: Sequence[str]) -> int:
    """What everybody else's progressive bet earns by this hand."""
    if not is_royal(cards):
        return 0
    return ENVY_SPADES_CENTS if cards[0][1] == "S" else ENVY_OTHER_CENTS
