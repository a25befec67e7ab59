"""What bars a reconstruction in every text, and what follows from an illegal one."""

from __future__ import annotations

from typing import NamedTuple

from replay.facts import Card
from replay.grounds import excess_card
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import dealer_view


class Barred(NamedTuple):
    """Why cards may not be moved or taken away."""

    clauses: tuple[str, ...]
    says: str


def let(table: TwentyOneTable, at: int, barred: Barred | None, card: Card | None = None) -> bool:
    """Whether cards count as they were put: always where nothing bars it."""
    if barred is None:
        return True
    table.findings.add(
        "illegal_reconstruction",
        barred.clauses,
        barred.says,
        at=at,
        box=None if card is None else card.box,
        hand=None if card is None else card.hand,
    )
    return table.readings.other("after-illegal-reconstruction")


def past_stand(table: TwentyOneTable) -> set[int]:
    """The draws of cards that the dealer took past his stand."""
    stood = dealer_view(table.dealer, table.game.must_draw, closed=False, cut=lambda: True)
    return {card.draw for card in table.dealer[len(stood.faces) :]}


def no_card_of_the_set(table: TwentyOneTable, card: Card) -> bool:
    """A card that could not be read, does not belong to the decks or is there once too often."""
    if card.face not in table.game.deck:
        return True
    round_ = table.round
    noted = any(n.kind in {"foreign_card", "card_excess"} and n.at > card.at for n in round_.notes)
    return noted or card is excess_card(round_)
