"""The same round written down otherwise, cut off or declared void: what may and may not change.

None of these needs an oracle; each is a sentence of the contract. Rounds and irregularities are
those of test_irregular_pairs.py.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from replay.answer import Finding
from tests.replay.irregular import MOMENTS, Flat, Irregular, event
from tests.replay.made_up import TWENTY_ONE
from tests.replay.test_irregular_pairs import ASKED, answer, continued, hold, money, plain

SEEDS = range(100)
FOREIGN = {book: "5.5.1" if book in ASKED else "5.1.1" for book in TWENTY_ONE}
DONE = frozenset({"BetPlaced", "BetWithdrawn", "CardDealt", "CardsMoved", "CardDiscarded"})
"""Events that are a breach by themselves; a void round later on takes none of it away."""


UNDONE = ("never came", "was left at", "found nothing", "dealer: stood")
"""What somebody failed to do: where the round is void he may not have got to it."""


def check_phase(round_: Irregular) -> None:
    """Interim or final follows from the play, whatever the record calls it."""
    other = round_.copy()
    for e in other.events:
        if e["type"] == "BetSettled":
            e["phase"] = "interim" if e["phase"] == "final" else "final"
    assert plain(answer(round_.events)) == plain(answer(other.events))


def check_noted_twice(round_: Irregular) -> None:
    """A further note of the same fault joins the first."""
    other = round_.copy()
    other.events = []
    for e in round_.events:
        other.events.append(e)
        if e["type"] == "IrregularityNoted" and e["kind"] != "card_exposed":
            other.events.append({**e, "by": "pit_supervisor"})
    assert plain(answer(round_.events)) == plain(answer(other.events))


def check_word_and_chips(round_: Irregular) -> None:
    """A decision and its chips come in either order."""
    other = round_.copy()
    events = other.events
    for n, (one, two) in enumerate(list(pairwise(events))):
        kinds = (one.get("decision"), two.get("bet"))
        if kinds in {("double", "double"), ("split", "split")} and one["box"] == two["box"]:
            events[n], events[n + 1] = two, one
    assert plain(answer(round_.events)) == plain(answer(events))


def check_refusals(round_: Irregular) -> None:
    """Chips that were turned down never lay there."""
    other = round_.copy()
    rng = random.Random(round_.seed)
    close = [e["type"] for e in other.events].index("BetsClosed")
    at, box = rng.randint(close + 1, len(other.events) - 1), rng.choice(other.boxes())
    chips = {"box": box, "hand": 1, "player": f"P{box}", "bet": "initial", "amount": 700}
    other.events.insert(at, event("BetRefused", **chips))
    assert plain(answer(round_.events)) == plain(answer(other.events))


def check_needless_continue(round_: Irregular) -> None:
    """Somebody who is asked without need and goes on has done nothing."""
    rng = random.Random(round_.seed)
    straight = Irregular(round_.book, round_.seed)
    if rng.random() < 0.5:
        straight.put("late chips", rng.choice(MOMENTS[1:]))
    asked = straight.copy()
    at = asked.place(rng.choice(MOMENTS[1:]))
    asked.events[at:at] = continued(asked)
    assert plain(answer(straight.events)) == plain(answer(asked.events))


def check_void_at_the_end(round_: Irregular) -> None:
    """A joker comes out when all is over: what was done before it is told all the same."""
    found = answer(round_.events)
    if found.status != "settled":
        return
    other = round_.copy()
    clause = FOREIGN[round_.book]
    other.events[-1:-1] = [
        event("CardBurnt", draw=20_000, card="JOKER"),
        event("RoundVoided", by="pit_manager", clause=clause, reason="x"),
    ]
    void = answer(other.events)
    assert (void.status, void.void_clause) == ("void", clause)
    lost = breaches(round_.events, found.findings) - breaches(other.events, void.findings)
    assert not lost, lost


def breaches(events: list[Flat], findings: list[Finding]) -> Counter[tuple[object, ...]]:
    """The breaches of play that one event shows, without what was not done any more."""
    out: Counter[tuple[object, ...]] = Counter()
    for f in findings:
        undone = any(words in f.message for words in UNDONE)
        if f.severity != "procedure" or f.at is None or undone:
            continue
        e = events[f.at]
        decided = e["type"] == "DecisionMade" and f.kind == "illegal_decision"
        if (e["type"] in DONE and f.kind != "missing_option") or decided:
            out[(f.kind, f.at, f.box, f.player, f.bet)] += 1
    return out


def check_cut_off(round_: Irregular) -> None:
    """Where the log of an honest round ends early, what it had decided stays so."""
    straight = Irregular(round_.book, round_.seed)
    whole = dict(money(answer(straight.events)))
    at = random.Random(round_.seed).randint(3, len(straight.events) - 1)
    for line in answer(straight.events[:at]).lines:
        assert whole.get(line.key) == line.money, (at, line)


def check_interrupted(round_: Irregular) -> None:
    """An outcome is established where the log up to then has a bet that won or lost (5.4)."""
    if round_.book not in ASKED:
        return
    straight = Irregular(round_.book, round_.seed)
    close = [e["type"] for e in straight.events].index("BetsClosed")
    at = random.Random(round_.seed).randint(close + 1, len(straight.events) - 1)
    before = answer(straight.events[:at])
    stopped = [*straight.events[:at], event("IrregularityNoted", kind=POWER, by="dealer")]
    found = answer([*stopped, event("RoundClosed")])
    decided = any(line.outcome in {"win", "lose"} for line in before.lines)
    assert (found.void_clause is None) == decided, (at, found.void_clause, before.lines)


POWER = "technical_interruption"


def check_undone(round_: Irregular) -> None:
    """A stray card is noted and put right; taking it away or moving it back is a breach."""
    rng = random.Random(round_.seed)
    straight = Irregular(round_.book, round_.seed)
    wrong = straight.copy()
    cards = [n for n, e in enumerate(wrong.events) if e["type"] == "CardDealt"]
    at = rng.choice(cards[: 2 * len(wrong.boxes()) + 1])
    card = wrong.events[at]
    right = {name: card[name] for name in ("draw", "box", "hand")}
    box = rng.choice([place for place in (0, *wrong.boxes()) if place != card["box"]])
    card |= {"box": box, "hand": 0 if box == 0 else 1}
    lay = {name: card[name] for name in ("draw", "box", "hand")}
    asked = continued(wrong) if round_.book in ASKED else []
    undone = rng.choice(
        (event("CardsMoved", moves=[lay]), event("CardDiscarded", draw=card["draw"], reason="x"))
    )
    note = event("IrregularityNoted", kind="dealing_error", by="dealer")
    moved = event("CardsMoved", moves=[right])
    wrong.events[at + 1 : at + 1] = rng.choice(
        ([note, moved, *asked, undone], [note, moved, undone, *asked])
    )
    found = answer(wrong.events)
    assert "illegal_reconstruction" in {f.kind for f in found.findings}, undone


def check_after_an_answer(round_: Irregular) -> None:
    """An error that was noted nowhere, answered and gone on from covers no later change (5.7)."""
    if round_.book not in ASKED:
        return
    rng = random.Random(round_.seed)
    changed = Irregular(round_.book, round_.seed)
    at = changed.place("in the deal")
    note = event("IrregularityNoted", kind="dealing_error", by="dealer")
    steps = [note, *continued(changed)]
    before = changed.dealt(at)[:-1]  # the last card is what the note is about
    if not before:
        return
    changed.events[at:at] = steps
    after = len(changed.events) - 1
    card = rng.choice(before)
    step = event("CardDiscarded", draw=card["draw"], reason="x")
    places = [box for box in (0, *changed.boxes()) if box != card["box"]]
    if rng.random() < 0.5:
        box = rng.choice(places)
        move = {"draw": card["draw"], "box": box, "hand": 0 if box == 0 else 1}
        step = event("CardsMoved", moves=[move])
    changed.events[after:after] = [step]
    found = {f.kind for f in answer(changed.events).findings}
    assert "illegal_reconstruction" in found, step


def check_twin(round_: Irregular) -> None:
    """Who stands behind the seated player with the same bets and answers has the same lines."""
    other = round_.copy()
    if any(e.get("kind") == "player_left" for e in other.events):
        return  # whether he was alone matters then
    box = random.Random(round_.seed).choice(other.boxes())
    mine, his = f"P{box}", "P9"
    other.events = []
    for e in round_.events:
        other.events.append(e)
        if e.get("box") == box and e.get("player") == mine and e["type"] in TWICE:
            his_own = e["type"] != "DecisionMade" or e["decision"] in FOR_HIMSELF
            twin = {**e, "player": his} | ({"seated": False} if "seated" in e else {})
            other.events += [twin] if his_own else []
    found = answer(other.events)
    lines = {line.key: line.money for line in found.lines}
    assert {k: m for k, m in lines.items() if k[2] != his} == dict(money(answer(round_.events)))
    shares = {"super_bonus_share"}  # for the seated player alone, or counted by the box
    for (no, hand, player, bet), due in lines.items():
        if player == mine and no == box and bet not in shares:
            assert lines.get((no, hand, his, bet)) == due, (no, hand, bet)


TWICE = frozenset({"BetPlaced", "BetWithdrawn", "BetSettled", "OptionTaken", "DecisionMade"})
FOR_HIMSELF = frozenset({"even_money", "withdraw_double"})


def check_bystander(round_: Irregular) -> None:
    """Somebody more on a box, who follows nothing, changes no line of the others."""
    other = round_.copy()
    back = round_.book in ASKED and any(e.get("option") == "take_back" for e in other.events)
    if back or any(e.get("kind") == "player_left" for e in other.events):
        return  # a hand that all others took back is cleared away, unless he still plays it
    box = random.Random(round_.seed).choice(other.boxes())
    first = next(n for n, e in enumerate(other.events) if e["type"] == "BetsClosed")
    own = {"box": box, "hand": 1, "player": "P9", "bet": "initial", "amount": 900}
    other.events.insert(first, event("BetPlaced", **own, seated=False))
    lines = {line.key: line.money for line in answer(other.events).lines if line.player != "P9"}
    assert lines == dict(money(answer(round_.events)))


CHECKS = (
    check_twin,
    check_bystander,
    check_phase,
    check_noted_twice,
    check_word_and_chips,
    check_refusals,
    check_needless_continue,
    check_void_at_the_end,
    check_cut_off,
    check_interrupted,
    check_undone,
    check_after_an_answer,
)


@pytest.mark.parametrize("book", TWENTY_ONE)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_it_holds_for_the_record(book: str, check: Callable[[Irregular], None]) -> None:
    for seed in SEEDS:
        hold(check, book, seed)


@pytest.mark.soak
@pytest.mark.parametrize("book", TWENTY_ONE)
def test_100_000_records(book: str) -> None:
    """New rounds every time, one check each; a failure names its seed."""
    first = random.SystemRandom().randrange(2**40)
    for seed in range(first, first + 100_000):
        hold(CHECKS[seed % len(CHECKS)], book, seed)
