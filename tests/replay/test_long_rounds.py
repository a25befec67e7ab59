"""A round of very many events costs in a straight line: what is known is added to, never copied."""

from __future__ import annotations

import itertools
import sys
from types import FrameType
from typing import Any

import pytest

from bench.long_rounds import BOOKS, MANY, long_round
from checks.audit import audit
from checks.compare import recorded_lines
from replay.fold import HANDED, Fold
from replay.rounds import facts_of


def lists_of(thing: Any) -> dict[str, int]:
    """Which list each slot of a thing holds that has any entries."""
    slots = [s for c in type(thing).__mro__ for s in getattr(c, "__slots__", ())]
    names = slots or list(vars(thing))
    found = {name: getattr(thing, name, None) for name in names}
    return {name: id(value) for name, value in found.items() if isinstance(value, list) and value}


@pytest.mark.parametrize("kind", MANY)
def test_the_fold_goes_on_with_the_lists_it_has(kind: str) -> None:
    envelopes = long_round(kind, 4)
    fold = Fold("R-1", None)
    before: dict[str, int] = {}
    for index, envelope in enumerate(envelopes):
        if envelope.type not in HANDED:  # the fold has nothing to do with it
            continue
        method, fields = HANDED[envelope.type]
        values = [getattr(envelope.event, f, None) for f in fields]
        if envelope.type == "RoundOpened":
            values[fields.index("limits")] = {"initial": (1, 10**9)}
        elif envelope.type == "CardsMoved":
            values = [((1, 1, 1),)]
        method(fold, index, *values)
        now = lists_of(fold.round)
        for key, bet in fold.round.bets.items():
            now |= {f"{key} {name}": number for name, number in lists_of(bet).items()}
        assert before.items() <= now.items()
        before = now
    assert before


def test_a_line_settled_very_often_has_all_its_parts_once() -> None:
    (round_,) = facts_of(long_round("BetSettled", 5_000))
    (recorded,) = recorded_lines(round_).values()
    assert list(recorded.parts) == round_.settled
    assert recorded.winnings == 5_000 + 2_500


def lines_run(kind: str, events: int, book: str) -> int:
    """How many lines of code the fold and the audit of a round run, each turn of a loop counted."""
    envelopes = long_round(kind, events, book)
    counter = itertools.count()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        next(counter)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        (round_,) = facts_of(envelopes)
        audit(round_)
    finally:
        sys.settrace(before)
    return next(counter)


OPEN = ("CardDealt", "three-card-poker-rws-v3")
"""Each card too many is an episode of its own there, and each is held against all others."""
PAIRS = [
    pytest.param(kind, book, marks=[pytest.mark.xfail(strict=True)] if (kind, book) == OPEN else [])
    for kind in MANY
    for book in BOOKS
]


@pytest.mark.parametrize(("kind", "book"), PAIRS)
def test_twice_as_many_events_cost_about_twice_as_much(kind: str, book: str) -> None:
    """Counted and not timed, so that the answer is the same on every machine."""
    lines_run(kind, 10, book)  # what is made once and kept
    few, more, most = (lines_run(kind, n, book) for n in (150, 300, 450))
    assert most - more < 1.3 * (more - few) + 100, (few, more, most)
