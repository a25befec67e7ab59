"""A round of very many events costs in a straight line: what is known is added to, never copied."""

from __future__ import annotations

from typing import Any

import pytest

from bench.long_rounds import MANY, long_round
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
