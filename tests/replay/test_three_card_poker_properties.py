"""3 Card Poker over generated rounds: legal ones, and ones with anything thrown in anywhere."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from checks.golden.script import Script
from events.contract import IRREGULARITIES, RULINGS
from events.jsonl import from_flat
from replay.answer import Answer
from replay.cards import RANKS, SUITS
from replay.engine import replay_round
from replay.facts import Round
from replay.rounds import facts_of
from replay.rulebooks.three_card_poker_rws_v3 import BOOK

DECK = [rank + suit for rank in RANKS for suit in SUITS]
OPENING: dict[str, Any] = {
    "rulebook": BOOK.id,
    "shoe": "S1",
    "decks": 1,
    "boxes": 6,
    "limits": {"ante": {"min": 500, "max": 50_000}, "pair_plus": {"min": 500, "max": 20_000}},
    "jackpot_bet": 500,
}
WITHOUT_STAKE = {"ante_bonus", "envy_bonus"}
AMOUNTS = st.sampled_from(["5.00", "10.00", "12.35", "200.00"])


@st.composite
def boxes(draw: st.DrawFn) -> dict[int, list[str]]:
    """Box: its player, then his bets as the golden language has them."""
    out: dict[int, list[str]] = {}
    for box in draw(st.sets(st.integers(1, 6), min_size=1, max_size=4)):
        ante, pair_plus = draw(st.sampled_from([(True, True), (True, False), (False, True)]))
        player = draw(st.sampled_from(["P1", "P2", f"P{box + 2}"]))
        bets = [f"ante {draw(AMOUNTS)}"] if ante else []
        bets += [f"pair_plus {draw(AMOUNTS)}"] if pair_plus else []
        bets += ["progressive 5.00"] if ante and draw(st.booleans()) else []
        out[box] = [player, *bets]
    return dict(sorted(out.items()))


def dealt(places: list[int], cards: list[str], *, shuffler: bool) -> list[str]:
    """Sets of three from a shuffler; else a card burnt, and one at a time."""
    ring = [*places, 0]
    order = [place for place in ring for _ in range(3)] if shuffler else ring * 3
    lines = [] if shuffler else [f"burn {cards.pop()}"]
    return lines + [f"deal {place}:{cards.pop()}-" for place in order]


@st.composite
def legal(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Where it is dealt from, and a round as the text wants it."""
    seats = draw(boxes())
    source = draw(st.sampled_from(["shoe", "shuffler"]))
    cards = list(draw(st.permutations(DECK)))
    if draw(st.booleans()):  # a top hand for somebody, more often than chance has it
        suit = draw(st.sampled_from(SUITS))
        top = [rank + suit for rank in "AKQ"]
        cards = [*(card for card in cards if card not in top), *top]
        if source == "shoe":
            cards.append(cards.pop(0))
    play = [f"bet {box} {who} {bet}" for box, (who, *bets) in seats.items() for bet in bets]
    play += ["close", "meter 12345.67"]
    play += dealt(list(seats), cards, shuffler=source == "shuffler")
    looked: set[str] = set()
    for box, (who, *bets) in seats.items():
        ante = next((bet.split()[1] for bet in bets if bet.startswith("ante")), None)
        if ante is None:
            continue
        if who not in looked:
            looked.add(who)
            play.append(f"examine {box} {who}")
        if draw(st.booleans()):
            play += [f"play {box} {who}", f"bet {box} {who} play {ante}"]
        else:
            play.append(f"fold {box} {who}")
    return source, [*play, "reveal 0", *(f"reveal {box}" for box in seats)]


STRAY = st.one_of(
    st.builds(
        "note {} {}".format,
        st.sampled_from(sorted(IRREGULARITIES)),
        st.sampled_from(["", "box 0", "box 1", "box 2 player P2"]),
    ),
    st.builds(
        "rule {} {} {}".format,
        st.sampled_from(sorted(RULINGS)),
        st.sampled_from(["5.9", "5.18", "5.23"]),
        st.sampled_from(["", "box 1", "by dealer"]),
    ),
    st.builds(
        "void {} by {}".format,
        st.sampled_from(["5.8.1", "5.8.2", "5.8.6", "5.23", "9.9"]),
        st.sampled_from(["pit_manager", "shift_manager"]),
    ),
    st.sampled_from(
        """option 1 P1 take_back|option 2 P2 continue|bet 1 P1 ante 700.00|bet 1 P2 pair_plus 5.00
        |bet 3 P3 progressive 7.00|bet 2 P2 initial 10.00|bet 1 P1 play 30.00|bet 9 P9 ante 5.00
        |bet 1.2 P1 ante 5.00|takeback 1 P1 ante 5.00|takeback 2 P2 pair_plus 5.00|examine 1 P1
        |examine 2 P1|examine 5 P9|fold 1 P1|play 1 P1|play 2 P2|hit 1 P1|reveal 0|reveal 1|burn 2S
        |deal 1:AS|deal 0:KH-|deal 2:JOKER-|deal 4:??-|discard 3 error|move 2:1 3:2|move 2:2 5:2
        |meter 99.99|settle 1 P1 ante 10.00 20.00 10.00|close|burn""".replace("\n", "").split("|")
    ).map(str.strip),
)


@st.composite
def anything(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A legal round with up to four events thrown in anywhere, perhaps cut short."""
    source, play = draw(legal())
    for stray in draw(st.lists(STRAY, max_size=4)):
        play.insert(draw(st.integers(0, len(play))), stray)
    return source, play[: draw(st.integers(1, len(play)))] if draw(st.booleans()) else play


def facts(case: tuple[str, list[str]], *, closed: bool = True) -> Round:
    source, play = case
    script = Script(round="G")
    script.add("RoundOpened", **OPENING, dealt_from=source)
    for line in play:
        script.run(line)
    if closed:
        script.add("RoundClosed")
    (round_,) = facts_of([from_flat(event) for event in script.out])
    return round_


def check_lines(round_: Round, answer: Answer) -> None:
    """What holds for every answer: one line a place, known clauses, nothing from nothing."""
    assert len({line.key for line in answer.lines}) == len(answer.lines)
    assert answer.lines == sorted(answer.lines)
    for line in answer.lines:
        assert line.clauses
        assert set(line.clauses) <= BOOK.gists.keys()
        assert 0 <= line.stake_returned <= line.stake
        assert (line.winnings > 0) <= (line.outcome == "win")
        if line.bet in WITHOUT_STAKE:
            assert line.stake == 0
            assert line.winnings > 0
            needed = "ante" if line.bet == "ante_bonus" else "progressive"
            assert (line.box, 1, line.player, needed) in round_.bets
        else:
            assert line.key in round_.bets
            assert line.stake > 0
    for finding in answer.findings:
        assert set(finding.clauses) <= BOOK.gists.keys() | {v.clause for v in round_.voids} | {
            ruling.clause for ruling in round_.rulings
        }


def lay_there(round_: Round) -> set[tuple[int, int, str, str]]:
    """The bets of which chips lay on the table at the close, or were let through later."""
    return {
        key
        for key, bet in round_.bets.items()
        if bet.stake > bet.taken or bet.late > bet.taken_late
    }


@settings(max_examples=300, deadline=None)
@given(legal())
def test_a_legal_round_is_settled_without_findings(case: tuple[str, list[str]]) -> None:
    round_ = facts(case)
    answer = replay_round(round_, trace=True)
    assert answer.status == "settled"
    assert answer.findings == []
    check_lines(round_, answer)
    assert {line.key for line in answer.lines if line.bet not in WITHOUT_STAKE} == lay_there(round_)
    assert answer.traces is not None
    assert answer.traces.keys() >= lay_there(round_)


@settings(max_examples=600, deadline=None)
@given(anything(), st.booleans())
def test_any_round_has_an_answer(case: tuple[str, list[str]], closed: bool) -> None:
    round_ = facts(case, closed=closed)
    answer = replay_round(round_)
    check_lines(round_, answer)
    stakes = {line.key for line in answer.lines if line.bet not in WITHOUT_STAKE}
    assert stakes <= lay_there(round_)
    if answer.status == "void":
        assert stakes == lay_there(round_)
        assert all(line.outcome == "returned" for line in answer.lines)
        assert all(line.clauses == (answer.void_clause, "5.21") for line in answer.lines)
    elif answer.status == "settled" and not round_.voids:
        kinds = {finding.kind for finding in answer.findings}
        assert stakes == lay_there(round_) or "round_not_concluded" in kinds


@settings(max_examples=100, deadline=None)
@given(anything())
def test_the_same_events_give_the_same_bytes(case: tuple[str, list[str]]) -> None:
    round_ = facts(case)
    once, again, anew = (replay_round(r) for r in (round_, round_, facts(case)))
    first = json.dumps(once.to_json())
    assert first == json.dumps(again.to_json()) == json.dumps(anew.to_json())
