"""What irregularities do to a round, as the paragraphs of section 5 find it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from replay.answer import Key
from replay.episodes import Episode
from replay.facts import NEVER
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.play.table import Player, PokerTable


class Cause(NamedTuple):
    """An episode after which players have a choice. `boxes` None: all players have it."""

    at: int
    episode: Episode
    clauses: tuple[str, ...]
    boxes: frozenset[int] | None

    def concerns(self, box: int) -> bool:
        return self.boxes is None or box in self.boxes


@dataclass(slots=True)
class PokerIncidents:
    """Grounds for a void, choices that are due, bets that go back, and where play stopped."""

    grounds: list[Ground] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    answers: dict[tuple[Player, Episode], int] = field(default_factory=dict)  # and when
    missing: list[tuple[Player, Cause]] = field(default_factory=list)  # who was not asked
    returned: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    extra: dict[Key, tuple[str, ...]] = field(default_factory=dict)  # clauses beside the rule's
    void: tuple[str, ...] = ()  # the clause, and the one that sends the bets back
    void_otherwise: tuple[str, ...] = ()  # the same under the other reading of BURN
    established: bool = False  # interrupted after an outcome: the round had to be concluded
    stopped_at: int = NEVER  # play may have stopped here
    exposed_late: bool = False  # a card was exposed after somebody had looked: play goes on

    def cite(self, keys: list[Key], clause: str) -> None:
        for key in keys:
            before = self.extra.get(key, ())
            if clause not in before:
                self.extra[key] = (*before, clause)


def affected(table: PokerTable, episode: Episode) -> frozenset[int] | None:
    """Whom an error affects: its box, and those whose cards were moved because of it.

    Everybody, where the box is nobody's or the dealer's hand changed.
    """
    if episode.box is None:
        return None
    boxes = table.touched(episode) | {episode.box}
    if boxes.difference(table.owner):
        return None
    if not boxes.issuperset(table.owner) and table.readings.other("affected-players"):
        return None
    return boxes
