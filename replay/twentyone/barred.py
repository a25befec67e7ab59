"""What bars a reconstruction in every text, and what follows from an illegal one."""

from __future__ import annotations

from typing import NamedTuple

from replay.facts import Card, Discard, Note
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


def no_card_of_the_set(table: TwentyOneTable, step: Discard, card: Card) -> bool:
    """A card that could not be read, does not belong to the decks or is there once too often."""
    if card.face not in table.game.deck:
        return True
    noted = (n for n in table.round.notes if n.kind in {"foreign_card", "card_excess"})
    return any(_means(table, n, step, card) for n in noted) or card is excess_card(table.round)


def _means(table: TwentyOneTable, note: Note, step: Discard, card: Card) -> bool:
    """Whether a note may be about a card that was taken away: before, or in the same pause."""
    if note.at < card.at or note.box not in {None, card.box}:
        return False
    return not any(step.at < other.at < note.at for other in table.round.cards)
