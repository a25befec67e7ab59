"""What was done with cards: in one episode, and in the round as its episodes leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.episodes import Episode, Episodes
from replay.facts import NEVER, Moved

SET = 3
"""The cards that a shuffler gives out at once (3.11): a hand."""


@dataclass(slots=True)
class Acts:
    """The moves and discards of one episode."""

    touched: set[int] = field(default_factory=set)
    broken_at: int = NEVER  # when other than complete hands were moved


class Bound(NamedTuple):
    """A round whose events are bound into episodes."""

    episodes: Episodes
    acts: Mapping[Episode, Acts]
    lies: Mapping[int, int]  # draw: the box where the card counts
    order: list[int]  # the draws of the deal, as order puts them


def whole_hands(lies: Mapping[int, int], step: Moved, *, sets: bool) -> bool:
    """Whether a move takes complete hands from one place to another.

    Two of a shuffler's sets on one place are two hands, and either may be moved alone.
    """
    to = {draw: box for draw, box, _ in step.moves if draw in lies}
    for box in {lies[draw] for draw in to}:
        there = sorted(draw for draw, where in lies.items() if where == box)
        size = SET if sets and len(there) % SET == 0 else len(there)
        for first in range(0, len(there), size):
            targets = {to.get(draw) for draw in there[first : first + size]}
            if len(targets) != 1:  # some cards stay, or they go to several places
                return False
    return True
