"""Two or three irregularities in one round: what holds whatever the answer is.

At 3 Card Poker test_three_card_poker_pairs.py has what is silent and what is put right.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from checks.audit import audit_file
from events.jsonl import from_flat
from replay.answer import Answer
from tests.replay.irregular import (
    IRREGULARITIES,
    MOMENTS,
    NEEDS_CARDS,
    SILENT,
    Flat,
    Irregular,
    event,
    irregular,
    settled,
)
from tests.replay.made_up import TWENTY_ONE
from tests.replay.test_three_card_poker_pairs import BOOK as POKER

SEEDS = range(120)
ASKED = frozenset({"pontoon-plus-rws-v5", "blackjack-rws-v5"})
"""Whose text gives every player a choice after a dealing error, put right or not (5.7)."""

UNPAID = frozenset({"unsettled_bet", "missed_bonus", "missed_void"})
"""Nothing was settled in these rounds, unless the test settles them."""


def answer(events: list[Flat]) -> Answer:
    (found,) = audit_file([from_flat(e) for e in events])
    return found


Told = tuple[str, str | None, list[Any], Counter[str]]


def told(found: Answer, box: Callable[[int], int], player: Callable[[str], str]) -> Told:
    """What an answer says, with boxes and players under other names."""
    lines = sorted(
        (box(line.box), line.hand, player(line.player), line.bet, line.money, line.clauses)
        for line in found.lines
    )
    kinds = Counter(finding.kind for finding in found.findings)
    return found.status, found.void_clause, lines, kinds


def plain(found: Answer) -> Told:
    return told(found, lambda box: box, lambda player: player)


def renamed(events: list[Flat], box: Callable[[int], int], player: Callable[[str], str]) -> None:
    for e in events:
        if "player" in e:
            e["player"] = player(e["player"])
        for place in (e, *e.get("moves", ())):
            if place.get("box"):
                place["box"] = box(place["box"])


def check_names(round_: Irregular) -> None:
    other = round_.copy()

    def player(name: str) -> str:
        return f"X{9 - int(name[1:])}"  # the other way round in the alphabet

    renamed(other.events, lambda box: box, player)
    assert told(answer(round_.events), lambda box: box, player) == plain(answer(other.events))


def check_numbers(round_: Irregular) -> None:
    other = round_.copy()

    def box(number: int) -> int:
        return number + 2 if number else 0

    for one in (round_, other):
        one.events[0]["boxes"] = 9
    renamed(other.events, box, lambda player: player)
    assert told(answer(round_.events), box, lambda player: player) == plain(answer(other.events))


def check_two_placements(round_: Irregular) -> None:
    other = round_.copy()
    other.events = []
    for e in round_.events:
        if e["type"] == "BetPlaced":
            amounts = (50, e["amount"] - 50)
            other.events += [{**e, "amount": amount} for amount in amounts]
        else:
            other.events.append(e)
    assert plain(answer(round_.events)) == plain(answer(other.events))


def check_settled_as_it_says(round_: Irregular) -> None:
    """Where the answer is whole. A round that should have gone on after an interruption and did
    not has no line for what was open; settling it is going on, and then there are more lines
    (3 Card Poker, seed 1000000256)."""
    found = answer(round_.events)
    unfinished = any(f.kind == "round_not_concluded" for f in found.findings)
    if found.status not in {"settled", "void"} or unfinished:
        return
    *events, close = round_.copy().events
    paid = {
        (e["box"], e["hand"], e["player"], e["bet"]) for e in events if e["type"] == "BetSettled"
    }
    if found.status == "void":
        who = {"by": "shift_manager", "clause": found.void_clause}
        events.append(event("RoundVoided", **who, reason="x"))
    for line in found.lines:
        bet = {"box": line.box, "hand": line.hand, "player": line.player, "bet": line.bet}
        due = settled(bet, line.stake, line.stake_returned, line.winnings)
        if line.key in paid:  # an interim payment is put right, whatever it was
            due |= {"type": "SettlementCorrected", "reason": "x"}
        events.append(due)
    after = answer([*events, close])
    assert money(after) == money(found)
    assert [f.message for f in after.findings if f.severity == "money"] == []


def money(found: Answer) -> list[Any]:
    return [(line.key, line.money) for line in found.lines]


def check_put_right(round_: Irregular) -> None:
    """A card of the initial deal goes to a wrong place, is noted, and moved before the next one.

    At the moment there is one irregularity more, or none: chips that come late and are refused.
    """
    rng = random.Random(round_.seed)
    honest = Irregular(round_.book, round_.seed)
    if rng.random() < 0.5:
        honest.put("late chips, refused", rng.choice(MOMENTS))
    wrong = honest.copy()
    cards = [n for n, e in enumerate(wrong.events) if e["type"] == "CardDealt"]
    at = rng.choice(cards[: 2 * len(wrong.boxes()) + 1])
    card = wrong.events[at]
    right = {name: card[name] for name in ("draw", "box", "hand")}
    box = rng.choice([place for place in (0, *wrong.boxes()) if place != card["box"]])
    card |= {"box": box, "hand": 0 if box == 0 else 1}
    note = event("IrregularityNoted", kind="dealing_error", by="dealer")
    if rng.random() < 0.5:
        note |= {"box": box, "hand": card["hand"]}
    asked = continued(wrong) if round_.book in ASKED else []
    wrong.events[at + 1 : at + 1] = [note, event("CardsMoved", moves=[right]), *asked]
    found, straight = answer(wrong.events), answer(honest.events)
    assert money(found) == money(straight)
    assert [f.message for f in found.findings if f.kind not in UNPAID] == [
        f.message for f in straight.findings if f.kind not in UNPAID
    ]


def check_silent_change(round_: Irregular) -> None:
    """The change is put into an honest round, beside chips that came late."""
    rng = random.Random(round_.seed)
    changed = Irregular(round_.book, round_.seed)
    if rng.random() < 0.5:
        changed.put("late chips", rng.choice(MOMENTS[1:]))
    before = Counter(f.kind for f in answer(changed.events).findings)
    changed.put(rng.choice(sorted(SILENT)), rng.choice(MOMENTS[1:]))
    after = Counter(f.kind for f in answer(changed.events).findings if f.kind not in UNPAID)
    assert after - before, changed.tried


def check_silent_beside_a_note(round_: Irregular) -> None:
    """An error noted at one box is no cover for a card that changes at two others."""
    rng = random.Random(round_.seed)
    changed = Irregular(round_.book, round_.seed)
    noted = rng.choice(changed.boxes())
    at = changed.place(rng.choice(MOMENTS[1:]))
    steps = [event("IrregularityNoted", kind="dealing_error", by="dealer", box=noted, hand=1)]
    if round_.book in ASKED:
        steps += continued(changed)
    changed.events[at:at] = steps
    before = Counter(f.kind for f in answer(changed.events).findings)
    at = changed.place(rng.choice(MOMENTS[2:]))
    card = rng.choice([card for card in changed.dealt(at) if card["box"] != noted])
    places = [box for box in (0, *changed.boxes()) if box not in {noted, card["box"]}]
    step = event("CardDiscarded", draw=card["draw"], reason="x")
    if places and rng.random() < 0.5:
        box = rng.choice(places)
        move = {"draw": card["draw"], "box": box, "hand": 0 if box == 0 else 1}
        step = event("CardsMoved", moves=[move])
    changed.events[at:at] = [step]
    after = Counter(f.kind for f in answer(changed.events).findings if f.kind not in UNPAID)
    assert after - before, step


def continued(round_: Irregular) -> list[Flat]:
    """Everybody is asked and goes on."""
    return [
        event("OptionTaken", box=box, player=f"P{box}", option="continue") for box in round_.boxes()
    ]


CHECKS = (
    check_names,
    check_numbers,
    check_two_placements,
    check_settled_as_it_says,
    check_put_right,
    check_silent_change,
    check_silent_beside_a_note,
)


def hold(check: Callable[[Irregular], None], book: str, seed: int) -> Irregular:
    round_ = irregular(book, seed)
    try:
        check(round_)
    except AssertionError as error:
        raise AssertionError(f"{check.__name__}, {book}, seed {seed}: {round_.tried}") from error
    return round_


TRIED = [(book, check) for book in TWENTY_ONE for check in CHECKS]
TRIED += [(POKER, check) for check in CHECKS[:4]]


@pytest.mark.parametrize(
    ("book", "check"), TRIED, ids=[f"{book} {check.__name__}" for book, check in TRIED]
)
def test_it_holds_for_pairs_of_irregularities(
    book: str, check: Callable[[Irregular], None]
) -> None:
    for seed in SEEDS:
        hold(check, book, seed)


def test_everything_is_tried_at_every_moment() -> None:
    tried = Counter(one for seed in SEEDS for one in irregular(TWENTY_ONE[0], seed).tried)
    print_tried(tried)
    possible = {
        (name, moment)
        for name in IRREGULARITIES
        for moment in MOMENTS
        if moment != "before the deal" or name not in NEEDS_CARDS
    }
    assert set(tried) == possible


def print_tried(tried: Counter[tuple[str, str]]) -> None:
    for (name, moment), count in sorted(tried.items()):
        sys.stdout.write(f"{count:>9,}  {name}, {moment}\n")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_check_notices_what_it_is_for(
    check: Callable[[Irregular], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is spoilt in a way that only this check is about."""
    monkeypatch.setattr("tests.replay.test_irregular_pairs.answer", SPOILT[check.__name__])
    with pytest.raises(AssertionError, match=f"{check.__name__}, blackjack-rws-v5, seed"):
        test_it_holds_for_pairs_of_irregularities("blackjack-rws-v5", check)


def _by(events: list[Flat], spoils: Callable[[list[Flat], Answer], bool]) -> Answer:
    found = answer_as_it_is(events)
    if spoils(events, found) and found.lines:
        found.lines[0] = found.lines[0]._replace(winnings=found.lines[0].winnings + 1)
    return found


answer_as_it_is = answer


def _silent(events: list[Flat]) -> Answer:
    found = answer_as_it_is(events)
    found.findings = [f for f in found.findings if f.kind in {"unsettled_bet", "late_bet"}]
    return found


SPOILT: dict[str, Callable[[list[Flat]], Answer]] = {
    "check_names": lambda e: _by(e, lambda _, found: found.lines[0].player < "P4"),
    "check_numbers": lambda e: _by(e, lambda _, found: found.lines[0].box == 1),
    "check_two_placements": lambda e: _by(e, lambda events, _: len(events) % 2 == 0),
    "check_settled_as_it_says": lambda e: _by(e, lambda events, _: _paid(events)),
    "check_put_right": lambda e: _by(e, lambda events, _: _moved(events)),
    "check_silent_change": _silent,
    "check_silent_beside_a_note": _silent,
}


def _paid(events: list[Flat]) -> bool:
    return bool(events[-2]["type"] == "BetSettled")


def _moved(events: list[Flat]) -> bool:
    return any(e["type"] == "CardsMoved" for e in events)


@pytest.mark.soak
@pytest.mark.parametrize("book", [*TWENTY_ONE, POKER])
def test_200_000_rounds(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    """New rounds every time, one check each; a failure names its seed."""
    first = random.SystemRandom().randrange(2**40)
    tried: Counter[tuple[str, str]] = Counter()
    checks = [check for name, check in TRIED if name == book]
    for seed in range(first, first + 200_000):
        tried.update(hold(checks[seed % len(checks)], book, seed).tried)
    with capsys.disabled():
        print_tried(tried)


def test_a_round_that_did_not_go_on_says_so_and_goes_on_once_it_is_settled() -> None:
    """What settles is play that goes on (5.7.1), so the open box is decided then."""
    round_ = irregular(POKER, 1000000256)
    found = answer(round_.events)
    assert "round_not_concluded" in {f.kind for f in found.findings}
    assert {line.box for line in found.lines} == {2, 3}
    *events, close = round_.events
    paid = [settled(line_place(line.key), *line.money[:3]) for line in found.lines]
    whole = answer([*events, *paid, close])
    assert {line.box for line in whole.lines} == {1, 2, 3}
    assert "round_not_concluded" not in {f.kind for f in whole.findings}


def line_place(key: tuple[int, int, str, str]) -> Flat:
    return dict(zip(("box", "hand", "player", "bet"), key, strict=True))
