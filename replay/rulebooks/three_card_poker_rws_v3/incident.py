"""What irregularities do to a round, as the paragraphs of section 5 find it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from replay.answer import Key
from replay.facts import NEVER, Ruling
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.table import Table

SUPERVISORS = frozenset({"pit_supervisor", "pit_manager", "shift_manager"})


class Cause(NamedTuple):
    """A dealing error after which players have a choice. `boxes` None: all players have it."""

    at: int
    clauses: tuple[str, ...]
    boxes: frozenset[int] | None


@dataclass(slots=True)
class Incidents:
    """Grounds for a void, choices that are due, bets that go back, and where play stopped."""

    grounds: list[Ground] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    returned: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    extra: dict[Key, tuple[str, ...]] = field(default_factory=dict)  # clauses beside the rule's
    void: tuple[str, ...] = ()  # the clause, and the one that sends the bets back
    established: bool = False  # interrupted after an outcome: the round had to be concluded
    stopped_at: int = NEVER  # play may have stopped here

    def cite(self, keys: list[Key], clause: str) -> None:
        for key in keys:
            before = self.extra.get(key, ())
            if clause not in before:
                self.extra[key] = (*before, clause)


BURN, COUNT, DISTRIBUTION = frozenset({"5.9"}), frozenset({"5.15", "5.8.7"}), frozenset({"5.8.6"})
"""Paragraphs of one kind of error each: a ruling under one of them is about no other kind."""


def ruled(table: Table, yes: str, no: str, box: int | None) -> bool | None:
    """What a supervisor or above last decided between two rulings; None where nobody did."""
    out = None
    for ruling in table.round.rulings:
        if _speaks_of(ruling, box) and ruling.ruling in {yes, no}:
            out = ruling.ruling == yes
    return out


def repairable(
    table: Table, about: frozenset[str], since: int = 0, box: int | None = None
) -> bool | None:
    """What was last decided after an error on whether the cards can be reconstructed.

    A ruling under the error's own paragraph goes before one that names none of them.
    """
    said = [
        ruling
        for ruling in table.round.rulings
        if ruling.at >= since
        and _speaks_of(ruling, box)
        and ruling.ruling in {"reconstructable", "not_reconstructable"}
    ]
    own = [ruling for ruling in said if ruling.clause in about]
    others = (BURN | COUNT | DISTRIBUTION) - about
    chosen = own or [ruling for ruling in said if ruling.clause not in others]
    return chosen[-1].ruling == "reconstructable" if chosen else None


def _speaks_of(ruling: Ruling, box: int | None) -> bool:
    return ruling.by in SUPERVISORS and (box is None or ruling.box is None or ruling.box == box)


def affected(table: Table, box: int | None) -> frozenset[int] | None:
    """Whom an error at a box affects: that box, and those whose cards were moved because of it.

    Everybody, where the box is nobody's or the dealer's hand changed.
    """
    if box is None:
        return None
    boxes = table.touched | {box}
    if boxes - table.owner.keys():
        return None
    if table.owner.keys() - boxes and table.readings.other("affected-players"):
        return None
    return boxes
