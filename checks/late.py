"""Rounds that run into each other: what was noticed too late, and rounds that overlap.

Once the next round has begun, the outcome of the one before stands (Pontoon Plus and Blackjack 5.6
and 5.13, 3 Card Poker 5.19; the other texts say it of foreign cards). So notes, rulings, options
and voids that a round gets only then change nothing about it; a correction of what was paid still
counts, because the record says it was paid so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from checks.record import integrity
from replay.answer import Finding
from replay.facts import Declared, Round

STANDS: dict[str, str] = {
    "pontoon-plus-rws-v5": "5.6",
    "blackjack-rws-v5": "5.6",
    "three-card-poker-rws-v3": "5.19",
    "pontoon-pandemonium-rws-v4": "5.1.1",
    "pontoon-mbs-v5": "5.1.2",
}
"""The paragraph by which earlier rounds stand."""


class Late(NamedTuple):
    """What a round got after the next one of its table began."""

    round: Round
    first: int  # place of its first event after that
    next: str
    voids: list[Declared]


def late_rounds(rounds: Sequence[Round]) -> dict[str, Late]:
    """The rounds of one table that have events after the next one began; usually none.

    `rounds` are in the order in which they opened. What came too late is taken out of their facts.
    """
    out: dict[str, Late] = {}
    for round_, following in pairwise(rounds):
        mine, theirs = round_.seqs, following.seqs
        if not mine or not theirs or mine[-1] is None or theirs[0] is None:
            continue
        if mine[-1] > theirs[0]:
            numbers = [seq if seq is not None else 0 for seq in mine]
            first = bisect_right(numbers, theirs[0])
            out[round_.id] = Late(round_, first, following.id, _take_out(round_, first))
    return out


def _take_out(round_: Round, first: int) -> list[Declared]:
    """Leave only what was noticed in time; answers the voids that were not."""
    voids = [void for void in round_.voids if void.at >= first]
    round_.notes = [note for note in round_.notes if note.at < first]
    round_.rulings = [ruling for ruling in round_.rulings if ruling.at < first]
    round_.options = [option for option in round_.options if option.at < first]
    round_.voids = [void for void in round_.voids if void.at < first]
    return voids


def overlap_finding(late: Late, closed_at: Callable[[Round], int | None]) -> Finding | None:
    """A round that was still being settled when the next one opened.

    `closed_at` gives the number of the event that closed a round. One that never closed is told by
    its own answer.
    """
    round_, first = late.round, late.first
    closed = closed_at(round_)
    begun = round_.seq(first)
    if closed is None or begun is None or closed < begun:
        return None
    says = f"round {round_.id}: round {late.next} of the table opened before this one was closed"
    return integrity("incomplete_round", round_.table, round_.id, begun, says, first)
