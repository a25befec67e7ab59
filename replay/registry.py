"""The rulebooks by id, imported when first asked for, and the register of their readings."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from replay.readings import Reading
from replay.rulebook import Rulebook

_MODULES = {
    "pontoon-plus-rws-v5": "pontoon_plus_rws_v5",
    "blackjack-rws-v5": "blackjack_rws_v5",
    "three-card-poker-rws-v3": "three_card_poker_rws_v3",
    "pontoon-pandemonium-rws-v4": "pontoon_pandemonium_rws_v4",
    "pontoon-mbs-v5": "pontoon_mbs_v5",
}
IDS = tuple(_MODULES)


class RegisteredReading(NamedTuple):
    """A reading in the register: the question, and at which clauses of which rulebooks."""

    reading: Reading
    clauses: Mapping[str, tuple[str, ...]]  # by rulebook id

    @property
    def rulebooks(self) -> tuple[str, ...]:
        return tuple(self.clauses)


@cache
def rulebook(book_id: str) -> Rulebook | None:
    """The rulebook of that id, or None."""
    module = _MODULES.get(book_id)
    if module is None:
        return None
    book: Rulebook = importlib.import_module(f"replay.rulebooks.{module}").BOOK
    return book


def add_draft(module: str) -> Rulebook:
    """A rulebook that is not approved, to be tried; `rulebooks` does not list it.

    module: a package of `replay.rulebooks`, wherever it lies.
    """
    draft: Rulebook = importlib.import_module(f"replay.rulebooks.{module}").BOOK
    if draft.id in IDS:
        raise ValueError(f"its id is {draft.id}, which an approved rulebook has")
    _MODULES[draft.id] = module
    rulebook.cache_clear()
    return draft


def rulebooks() -> list[Rulebook]:
    """All rulebooks, in the order of the project's card."""
    return [book for book in map(rulebook, IDS) if book is not None]


@cache
def readings() -> Mapping[str, RegisteredReading]:
    """The register, by id: what each rulebook lists, a shared question once."""
    out: dict[str, RegisteredReading] = {}
    for book in rulebooks():
        for reading in book.readings:
            known = out.get(reading.id)
            clauses = {**(known.clauses if known else {}), book.id: reading.clauses}
            out[reading.id] = RegisteredReading(reading._replace(clauses=()), clauses)
    return out
