"""The rulebooks by id, imported when first asked for."""

from __future__ import annotations

import importlib
from functools import cache

from replay.rulebook import Rulebook

_MODULES = {
    "pontoon-plus-rws-v5": "pontoon_plus_rws_v5",
    "blackjack-rws-v5": "blackjack_rws_v5",
    "three-card-poker-rws-v3": "three_card_poker_rws_v3",
    "pontoon-pandemonium-rws-v4": "pontoon_pandemonium_rws_v4",
    "pontoon-mbs-v5": "pontoon_mbs_v5",
}
IDS = tuple(_MODULES)


@cache
def rulebook(book_id: str) -> Rulebook | None:
    """The rulebook of that id, or None."""
    module = _MODULES.get(book_id)
    if module is None:
        return None
    book: Rulebook = importlib.import_module(f"replay.rulebooks.{module}").BOOK
    return book


def rulebooks() -> list[Rulebook]:
    """All rulebooks, in the order of the project's card."""
    return [book for book in map(rulebook, IDS) if book is not None]
