"""Irregular rounds, settled: by another reading, a cent off, put right later, booked elsewhere.

Each is a sentence of the contract (section 6) and of the register of readings, and needs no oracle
but the answer itself. Rounds and irregularities are those of test_irregular_pairs.py.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from replay.answer import Answer, Key, Line
from tests.replay.irregular import Flat, Irregular, event, settled
from tests.replay.made_up import TWENTY_ONE
from tests.replay.test_irregular_pairs import answer, hold, line_place

SEEDS = range(60)


def whole(round_: Irregular) -> Answer | None:
    """The answer, where every bet has its line and nothing was settled yet."""
    if any(e["type"] == "BetSettled" for e in round_.events):
        return None
    found = answer(round_.events)
    open_ = any(f.kind == "round_not_concluded" for f in found.findings)
    return None if open_ or found.status not in {"settled", "void"} or not found.lines else found


def booked(round_: Irregular, lines: Iterable[Line], void: str | None) -> list[Flat]:
    """The events of a round with these lines settled, and declared void where it is."""
    *events, close = round_.copy().events
    if void is not None:
        events.append(event("RoundVoided", by="shift_manager", clause=void, reason="x"))
    events += [settled(line_place(line.key), *line.money[:3]) for line in lines]
    return [*events, close]


def wrong(found: Answer) -> dict[Key, tuple[str, int]]:
    """The findings about money or about a reading, by line."""
    return {
        (f.box or 0, f.hand or 0, f.player or "", f.bet or ""): (f.kind, f.money or 0)
        for f in found.findings
        if f.severity == "money" or f.kind == "reading_conflict"
    }


def totals(lines: Iterable[Line]) -> dict[tuple[object, ...], int]:
    """What each player has on each box."""
    out: Counter[tuple[object, ...]] = Counter()
    for line in lines:
        out[(line.box, line.player)] += line.stake_returned + line.winnings
    return out


def check_settled_by_a_reading(round_: Irregular) -> None:
    """What fits the other reading is a reading_conflict on each line that differs, never money."""
    found = whole(round_)
    if found is None or not found.turned:
        return
    name = random.Random(round_.seed).choice(sorted(found.turned))
    if name in found.turned_void or found.status == "void":
        return  # whether it was declared void is asked elsewhere
    changed = found.turned[name]
    lines = {line.key: line for line in found.lines}
    lines |= {key: line for key, line in changed.items() if line is not None}
    other = [line for key, line in lines.items() if changed.get(key, line) is not None]
    mine, theirs = totals(found.lines), totals(other)
    if any(mine.get((key[0], key[2])) == theirs.get((key[0], key[2])) for key in changed):
        return  # the sum is right by chance: an allocation
    again = answer(booked(round_, other, None))
    kinds = Counter(kind for kind, _ in wrong(again).values())
    by_default = {line.key: line.money[:3] for line in found.lines}
    paid = {line.key: line.money[:3] for line in other}
    differ = [key for key in changed if by_default.get(key) != paid.get(key)]
    assert kinds == Counter(reading_conflict=len(differ)), (name, again.findings)


def check_a_cent(round_: Irregular) -> None:
    """One line settled a cent too high: one finding, of that line and that cent."""
    found = whole(round_)
    if found is None:
        return
    line = random.Random(round_.seed).choice(found.lines)
    lines = [
        one if one is not line else one._replace(winnings=one.winnings + 1) for one in found.lines
    ]
    again = answer(booked(round_, lines, found.void_clause))
    assert {key: cents for key, (_, cents) in wrong(again).items()} == {line.key: 1}


def check_put_right_later(round_: Irregular) -> None:
    """A line settled wrongly and then corrected is `corrected`, and nothing else."""
    found = whole(round_)
    if found is None:
        return
    rng = random.Random(round_.seed)
    line = rng.choice(found.lines)
    events = booked(round_, found.lines, found.void_clause)
    due = next(
        e for e in events if e["type"] == "BetSettled" and e["winnings"] == line.winnings
        and (e["box"], e["hand"], e["player"], e["bet"]) == line.key
    )  # fmt: skip
    right = {**due, "type": "SettlementCorrected", "reason": "x"}
    due["winnings"] += rng.choice((1, 5000))
    again = answer([*events[:-1], right, events[-1]])
    assert wrong(again) == {}
    assert [f.kind for f in again.findings if f.severity == "note"] == ["corrected"]


def check_booked_elsewhere(round_: Irregular) -> None:
    """Right in total for a player and box, but a dollar stands on his other line: `allocation`."""
    found = whole(round_)
    if found is None or found.status == "void":
        return
    won = [line for line in found.lines if line.winnings > 100 and line.stake]
    pairs = [
        (one, two)
        for one in won
        for two in won
        if one is not two and (one.box, one.player) == (two.box, two.player)
    ]
    if not pairs:
        return
    one, two = random.Random(round_.seed).choice(pairs)
    moved = {one.key: -100, two.key: 100}
    lines = [a._replace(winnings=a.winnings + moved.get(a.key, 0)) for a in found.lines]
    again = answer(booked(round_, lines, None))
    assert wrong(again) == {}
    assert {f.kind for f in again.findings if f.severity == "note"} == {"allocation"}


CHECKS = (
    check_settled_by_a_reading,
    check_a_cent,
    check_put_right_later,
    check_booked_elsewhere,
)


@pytest.mark.parametrize("book", TWENTY_ONE)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_it_holds_for_settlements(book: str, check: Callable[[Irregular], None]) -> None:
    for seed in SEEDS:
        hold(check, book, seed)


@pytest.mark.soak
@pytest.mark.parametrize("book", TWENTY_ONE)
def test_100_000_settlements(book: str) -> None:
    """New rounds every time, one check each; a failure names its seed."""
    first = random.SystemRandom().randrange(2**40)
    for seed in range(first, first + 100_000):
        hold(CHECKS[seed % len(CHECKS)], book, seed)
