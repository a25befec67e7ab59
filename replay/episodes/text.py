"""What a rulebook says so that its events can be bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from replay.episodes.model import DEALING_ERRORS, LASTING, Episode
from replay.facts import Moved, Note, Ruling

EVERY_KIND = DEALING_ERRORS | LASTING | {"extra_hand_examined", "card_face_up_in_shoe"}
CARDS = DEALING_ERRORS | {"card_exposed"}
"""Errors about which cards are moved or taken away."""

OF_A_RULING: Mapping[str, frozenset[str]] = {
    "reconstructable": CARDS,
    "not_reconstructable": CARDS,
    "card_order": frozenset({"simultaneous_cards"}),
    "intentional_examination": frozenset({"extra_hand_examined"}),
    "unintentional_examination": frozenset({"extra_hand_examined"}),
}
"""What a ruling can be about by what it rules."""


def _nowhere(step: Moved) -> bool:
    return False


def _unknown(note: Note) -> tuple[int, ...]:
    return ()


def _any(ruling: Ruling, episode: Episode) -> bool:
    return True


class Text(NamedTuple):
    """One rulebook's part in the binding.

    families: kinds that may be names of the same fault; a note of one joins an open episode of
        another. Kinds in no family join only notes of their own kind.
    clauses: what a ruling under a paragraph can be about; a paragraph that is not listed fits all.
    belongs: whether every card of a move goes where order and decisions put it.
    question: the draws that a note is about, where the rulebook knows better than the log does.
    about: whether a ruling can be about an episode, where its kinds alone do not say it.
    moved_once: a card that was put where it belongs stays there, whatever follows; where the text
        has a paragraph on moving it again, that is about the same error.
    """

    families: tuple[frozenset[str], ...] = ()
    clauses: Mapping[str, frozenset[str]] = {}
    belongs: Callable[[Moved], bool] = _nowhere
    question: Callable[[Note], tuple[int, ...]] = _unknown
    about: Callable[[Ruling, Episode], bool] = _any
    moved_once: bool = True

    def same_fault(self, one: str, other: str) -> bool:
        return one == other or any(one in f and other in f for f in self.families)

    def fits(self, ruling: Ruling, episode: Episode) -> bool:
        """Whether a ruling can be about an episode."""
        about = self.clauses.get(ruling.clause, EVERY_KIND)
        about &= OF_A_RULING.get(ruling.ruling, EVERY_KIND)
        return bool(about & episode.kinds) and self.about(ruling, episode)
