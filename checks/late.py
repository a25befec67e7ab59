"""Rounds that run into each other: what was noticed too late, and rounds that overlap.

Once the next round has begun, the outcome of the one before stands (Pontoon Plus and Blackjack 5.6
and 5.13, 3 Card Poker 5.19; the other texts say it of foreign cards). So notes, rulings, options
and voids that a round gets only then change nothing about it; a correction of what was paid still
counts, because the record says it was paid so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from checks.context import NextRound
from checks.record.file import integrity
from replay.answer import Finding
from replay.facts import Round


def first_openings(openings: Iterable[tuple[int, str]]) -> dict[str, int]:
    """By round the number of the event that opened it first, in order. `openings`: number and round
    of every event of a table that opened a round."""
    first: dict[str, int] = {}
    for seq, name in sorted(openings):
        first.setdefault(name, seq)
    return first


def following(opened: Mapping[str, int]) -> dict[str, NextRound]:
    """By round the one that its table opened next. `opened`: first_openings() of one table."""
    return {
        name: NextRound(after, seq)
        for name, (after, seq) in zip(opened, list(opened.items())[1:], strict=False)
    }


def late_from(round_: Round, following: NextRound | None) -> int | None:
    """The place of a round's first event after the next one opened; None where all came in time."""
    seqs = round_.seqs
    if following is None or round_.rulebook is None or not seqs:
        return None
    last = seqs[-1]
    if last is None or last <= following.seq:
        return None
    return bisect_right([seq or 0 for seq in seqs], following.seq)


def decides(round_: Round, following: NextRound | None) -> bool:
    """Whether a round's answer rests on when the next one opened: a correction that came after
    that counts all the same, a note, a ruling, an option, a void or the close does not."""
    first = late_from(round_, following)
    if first is None:
        return False
    told = [note.at for note in round_.notes] + [void.at for void in round_.voids]
    told += [ruling.at for ruling in round_.rulings] + [option.at for option in round_.options]
    return max(*told, -1 if round_.closed_at is None else round_.closed_at, -1) >= first


def overlap_findings(round_: Round, first: int, following: NextRound) -> list[Finding]:
    """A round that was still being settled when the next one opened.

    first: the place of its first event after that. A round that never closed is told by its own
    answer.
    """
    if round_.closed_at is None or round_.closed_at < first:
        return []
    says = f"round {round_.id}: round {following.id} of the table opened before this one was closed"
    begun = round_.seq(first)
    return [integrity("incomplete_round", round_.table, round_.id, begun, says, first)]
