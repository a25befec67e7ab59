"""Derived against recorded, in every rulebook: each kind told from those that look like it.

The player wins even money on his main bet: at the games of 21 with 20 against 19, at 3 Card Poker
with a pair of nines against queen high. `Q` is his main bet, 10.00; `S` a side bet of 5.00 that
loses (king and queen are no pair; at 3 Card Poker it is the Play, which wins as well).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from checks.audit import audit
from checks.compare import compare
from checks.golden.load import load
from checks.golden.opening import opening
from checks.golden.script import Script
from events.jsonl import from_flat
from replay.answer import Answer, Finding, Line
from replay.facts import Round
from replay.registry import IDS
from replay.rounds import facts_of

CARDS = ("deal 1:KS 0:9H 1:QS", "stand 1 P1", "deal 0:KD")


@dataclass(frozen=True)
class ComparedGame:
    rulebook: str
    main: str
    play: tuple[str, ...]
    rest: tuple[str, ...]  # how the other bets of the round are rightly settled
    side: str
    side_right: str
    unplaced: str


def _twenty_one(rulebook: str) -> ComparedGame:
    bets = ("bet 1 P1 initial 10.00", "bet 1 P1 player_pair 5.00", "close")
    lost = "settle 1 P1 player_pair 5.00 0 0"
    return ComparedGame(
        rulebook, "initial", (*bets, *CARDS), (lost,), "player_pair", lost, "insurance"
    )  # fmt: skip


_POKER = (
    "bet 1 P1 ante 10.00",
    "close",
    "burn 8C",
    "deal 1:9S- 0:QH- 1:9D- 0:7D- 1:3C- 0:5H-",
    "examine 1 P1",
    "play 1 P1",
    "bet 1 P1 play 10.00",
    "reveal 0",
    "reveal 1",
)
_PLAY = "settle 1 P1 play 10.00 10.00 10.00"
GAMES = [
    *(_twenty_one(book) for book in IDS if not book.startswith("three")),
    ComparedGame("three-card-poker-rws-v3", "ante", _POKER, (_PLAY,), "play", _PLAY, "ante_bonus"),
]

every_game = pytest.mark.parametrize("game", GAMES, ids=[game.rulebook for game in GAMES])


def facts(
    game: ComparedGame, *settled: str, close: bool = True, before: tuple[str, ...] = ()
) -> Round:
    script = Script("R1")
    script.add("RoundOpened", **opening(game.rulebook, {}))
    for line in (*before, *game.play, *settled, *(("end",) if close else ())):
        script.run(line)
    (round_,) = facts_of([from_flat(e) for e in script.out])
    return round_


def answer(
    game: ComparedGame, *settled: str, close: bool = True, before: tuple[str, ...] = ()
) -> Answer:
    return audit(facts(game, *settled, close=close, before=before))


def found(game: ComparedGame, *settled: str, close: bool = True) -> Findings:
    return [(f.kind, f.bet, f.money) for f in answer(game, *settled, close=close).findings]


def main(game: ComparedGame, stake: str, back: str, winnings: str) -> str:
    return f"settle 1 P1 {game.main} {stake} {back} {winnings}"


def right(game: ComparedGame) -> str:
    return main(game, "10.00", "10.00", "10.00")


def _correct(game: ComparedGame, back: str, winnings: str) -> str:
    return f"correct 1 P1 {game.main} 10.00 {back} {winnings} misread"


def _for_nothing(game: ComparedGame, left: str) -> tuple[str, ...]:
    words = f"1 P1 {game.unplaced} 0 0"
    return f"settle {words} 50.00", f"correct {words} {left} no such bet"


def _more_on_the_side(game: ComparedGame) -> tuple[str, ...]:
    words = game.side_right.split()
    more = f"{int(words[-1].split('.')[0]) + 4}.00"
    return main(game, "10.00", "10.00", "6.00"), " ".join([*words[:-1], more])


Findings = list[tuple[str, str | None, int | None]]


def _nothing(game: ComparedGame) -> Findings:
    return []


def _on_main(kind: str, money: int) -> Callable[[ComparedGame], Findings]:
    return lambda game: [(kind, game.main, money)]


def _short_and_elsewhere(game: ComparedGame) -> Findings:
    """5.00 too little on the main bet, and 4.00 on the side bet, which loses at the games of 21."""
    side = "wrong_odds" if game.side == "play" else "wrong_outcome"
    return [("wrong_odds", game.main, -500), (side, game.side, 400)]


@dataclass(frozen=True)
class Case:
    """How the round is settled, what is found, and the kinds that it only just misses."""

    name: str
    settled: Callable[[ComparedGame], tuple[str, ...]]
    found: Callable[[ComparedGame], Findings] = _nothing
    near: tuple[str, ...] = ()
    close: bool = True


CASES = [
    Case(
        "settled as the rulebook gives it",
        lambda game: (right(game), *game.rest),
        near=("wrong_odds", "wrong_outcome", "wrong_stake", "unsettled_bet"),
    ),
    Case(
        "in two parts that make up the whole",
        lambda game: (
            main(game, "10.00", "10.00", "0"), main(game, "10.00", "0", "10.00"), *game.rest,
        ),
        near=("unowed_payment", "wrong_odds"),
    ),
    Case(
        "in two halves, each with its part of the stake",
        lambda game: (
            main(game, "5.00", "5.00", "5.00"), main(game, "5.00", "5.00", "5.00"), *game.rest,
        ),
        near=("unowed_payment", "wrong_stake"),
    ),
    Case(
        "in two halves that pay too much",
        lambda game: (
            main(game, "5.00", "5.00", "5.00"), main(game, "5.00", "5.00", "7.00"), *game.rest,
        ),
        _on_main("wrong_odds", 200),
        near=("unowed_payment", "wrong_stake"),
    ),
    Case(
        "in two halves, and another one",
        lambda game: (*(main(game, "5.00", "5.00", "5.00") for _ in range(3)), *game.rest),
        _on_main("unowed_payment", 1000),
        near=("wrong_stake",),
    ),
    Case(
        "half of the bet, in two parts that name the same half",
        lambda game: (
            main(game, "5.00", "5.00", "0"), main(game, "5.00", "0", "5.00"), *game.rest,
        ),
        _on_main("wrong_stake", -1000),
        near=("wrong_odds",),
    ),
    Case(
        "in two parts, and the second once more",
        lambda game: (
            main(game, "10.00", "10.00", "0"), main(game, "10.00", "0", "10.00"),
            main(game, "10.00", "0", "10.00"), *game.rest,
        ),
        _on_main("unowed_payment", 1000),
        near=("wrong_odds",),
    ),
    Case(
        "the winnings of other odds",
        lambda game: (main(game, "10.00", "10.00", "15.00"), *game.rest),
        _on_main("wrong_odds", 500),
        near=("wrong_outcome", "wrong_stake"),
    ),
    Case(
        "a winner collected",
        lambda game: (main(game, "10.00", "0", "0"), *game.rest),
        _on_main("wrong_outcome", -2000),
        near=("unsettled_bet", "wrong_odds"),
    ),
    Case(
        "a winner given only his stake",
        lambda game: (main(game, "10.00", "10.00", "0"), *game.rest),
        _on_main("wrong_outcome", -1000),
        near=("wrong_odds",),
    ),
    Case(
        "the winnings paid and the stake kept",
        lambda game: (main(game, "10.00", "0", "10.00"), *game.rest),
        _on_main("wrong_outcome", -1000),
        near=("wrong_odds", "wrong_stake"),
    ),
    Case(
        "other winnings paid and the stake kept",
        lambda game: (main(game, "10.00", "0", "15.00"), *game.rest),
        _on_main("wrong_odds", -500),
    ),
    Case(
        "on another stake, which goes before other odds",
        lambda game: (main(game, "8.00", "8.00", "8.00"), *game.rest),
        _on_main("wrong_stake", -400),
        near=("wrong_odds",),
    ),
    Case("never settled", lambda game: game.rest, _on_main("unsettled_bet", -2000)),
    Case(
        "not yet settled while the round is open",
        lambda game: game.rest,
        lambda game: [("incomplete_round", None, None)],
        near=("unsettled_bet",),
        close=False,
    ),
    Case(
        "paid a second time",
        lambda game: (right(game), right(game), *game.rest),
        _on_main("unowed_payment", 2000),
    ),
    Case(
        "paid for nothing",
        lambda game: (right(game), f"settle 1 P1 {game.unplaced} 0 0 50.00", *game.rest),
        lambda game: [("unowed_payment", game.unplaced, 5000)],
    ),
    Case(
        "paid for nothing and taken back",
        lambda game: (right(game), *_for_nothing(game, "0"), *game.rest),
        lambda game: [("corrected", game.unplaced, 0)],
        near=("unowed_payment",),
    ),
    Case(
        "paid for nothing and taken back but for a part",
        lambda game: (right(game), *_for_nothing(game, "20.00"), *game.rest),
        lambda game: [("unowed_payment", game.unplaced, 2000)],
        near=("corrected",),
    ),
    Case(
        "settled wrongly and put right",
        lambda game: (
            main(game, "10.00", "0", "0"), _correct(game, "10.00", "10.00"), *game.rest,
        ),
        _on_main("corrected", 0),
        near=("wrong_outcome",),
    ),
    Case(
        "booked on another stake and put right",
        lambda game: (
            main(game, "8.00", "10.00", "10.00"), _correct(game, "10.00", "10.00"), *game.rest,
        ),
        _on_main("corrected", 0),
        near=("wrong_stake",),
    ),
    Case(
        "a correction that changes nothing is none",
        lambda game: (right(game), _correct(game, "10.00", "10.00"), *game.rest),
        near=("corrected",),
    ),
    Case(
        "a correction that makes it wrong",
        lambda game: (right(game), _correct(game, "0", "0"), *game.rest),
        _on_main("wrong_outcome", -2000),
        near=("corrected",),
    ),
    Case(
        "right in total and booked on another line",
        _more_on_the_side,
        lambda game: [("allocation", None, 0)],
        near=("wrong_odds", "unowed_payment"),
    ),
    Case(
        "booked on another line, and a dollar short",
        lambda game: (main(game, "10.00", "10.00", "5.00"), _more_on_the_side(game)[1]),
        _short_and_elsewhere,
        near=("allocation",),
    ),
]  # fmt: skip


@every_game
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_kind_of_each_case(game: ComparedGame, case: Case) -> None:
    expected = case.found(game)
    assert found(game, *case.settled(game), close=case.close) == expected
    assert not {kind for kind, _, _ in expected} & set(case.near)


LOST = [game for game in GAMES if game.side == "player_pair"]
every_lost_side = pytest.mark.parametrize("game", LOST, ids=[game.rulebook for game in LOST])
RIGHT = "1 P1 initial 10.00 10.00 10.00"


@every_lost_side
@pytest.mark.parametrize(
    ("settled", "expected"),
    [
        pytest.param(
            [RIGHT, "1 P1 player_pair 4.00 0 0"],
            [("wrong_stake", "player_pair", 0)],
            id="booked on another stake",
        ),
        pytest.param(
            [RIGHT, "1 P1 player_pair 2.50 0 0", "1 P1 player_pair 2.50 0 0"],
            [],
            id="collected in two halves",
        ),
        pytest.param(
            [RIGHT, "1 P1 player_pair 5.00 0 0", "1 P1 player_pair 5.00 5.00 5.00"],
            [("wrong_outcome", "player_pair", 1000)],
            id="collected and then paid",
        ),
        pytest.param(
            ["1 P1 initial 15.00 10.00 10.00"],
            [("allocation", None, 0)],
            id="its stake stands with the main bet",
        ),
        pytest.param(
            [RIGHT],
            [("unsettled_bet", "player_pair", 0)],
            id="its stake stands nowhere",
        ),
        pytest.param(
            ["1 P1 initial 14.00 10.00 10.00"],
            [("wrong_stake", "initial", 0), ("unsettled_bet", "player_pair", 0)],
            id="not its whole stake stands with the main bet",
        ),
        pytest.param(
            ["1 P1 initial 15.00 10.00 15.00"],
            [("wrong_stake", "initial", 500), ("unsettled_bet", "player_pair", 0)],
            id="its stake stands with the main bet, which was paid too much",
        ),
        pytest.param(
            [RIGHT, "1 P1 insurance 5.00 0 0"],
            [("allocation", None, 0)],
            id="booked under another bet",
        ),
        pytest.param(
            [RIGHT, "1 P1 insurance 4.00 0 0"],
            [("unsettled_bet", "player_pair", 0)],
            id="another stake under another bet",
        ),
        pytest.param(
            [RIGHT, "1 P2 player_pair 5.00 0 0"],
            [("unsettled_bet", "player_pair", 0)],
            id="booked for another player",
        ),
        pytest.param(
            [RIGHT, "2 P1 player_pair 5.00 0 0"],
            [("unsettled_bet", "player_pair", 0)],
            id="booked on another box",
        ),
    ],
)
def test_a_lost_side_bet(game: ComparedGame, settled: list[str], expected: Findings) -> None:
    some = found(game, *(f"settle {line}" for line in settled))
    assert sorted(some, key=str) == sorted(expected, key=str)


@every_lost_side
def test_a_lost_bet_collected_as_a_second_settlement_of_another_line(game: ComparedGame) -> None:
    play = tuple(step.replace("player_pair 5.00", "player_pair 10.00") for step in game.play)
    equal = replace(game, play=play)
    assert found(equal, right(game), main(game, "10.00", "0", "0")) == [("allocation", None, 0)]


@every_lost_side
def test_a_stake_named_in_both_parts_of_a_win_is_no_other_bets_stake(game: ComparedGame) -> None:
    play = tuple(step.replace("player_pair 5.00", "player_pair 10.00") for step in game.play)
    equal = replace(game, play=play)
    parts = main(game, "10.00", "10.00", "0"), main(game, "10.00", "0", "10.00")
    assert found(equal, *parts) == [("unsettled_bet", "player_pair", 0)]


@every_lost_side
def test_the_message_names_the_stake_that_is_wrong(game: ComparedGame) -> None:
    (wrong,) = answer(game, right(game), "settle 1 P1 player_pair 4.00 0 0").findings
    assert "settled on 4.00 instead of 5.00" in wrong.message


@every_lost_side
def test_a_finding_shows_what_was_due_and_what_was_recorded_on_its_own_line(
    game: ComparedGame,
) -> None:
    second = tuple(step.replace("1 P1", "2 P1").replace("1:", "2:") for step in game.play)
    settled = "settle 2 P1 initial 10.00 10.00 15.00", "settle 2 P1 player_pair 5.00 0 0"
    (wrong,) = answer(replace(game, play=second), *settled).findings
    place = {"box": 2, "hand": 1, "player": "P1", "bet": "initial", "stake": 1000}
    assert wrong.recorded == {**place, "stake_returned": 1000, "winnings": 1500}
    assert wrong.expected is not None
    assert wrong.expected.items() >= {**place, "stake_returned": 1000, "winnings": 1000}.items()


@every_lost_side
def test_the_message_says_what_is_wrong_and_nothing_else(game: ComparedGame) -> None:
    (twice,) = answer(game, right(game), right(game), *game.rest).findings
    assert "paid a second time: 40.00 in all, the rulebook gives 10.00 + 10.00" in twice.message
    (odds,) = answer(game, main(game, "10.00", "10.00", "15.00"), *game.rest).findings
    assert "paid 10.00 + 15.00, the rulebook gives 10.00 + 10.00" in odds.message
    assert "settled on" not in odds.message
    put_right = _correct(game, "10.00", "10.00")
    (stake,) = answer(game, main(game, "8.00", "10.00", "10.00"), put_right, *game.rest).findings
    assert "first settled with 20.00 on 8.00, then put right" in stake.message
    (outcome,) = answer(game, main(game, "10.00", "0", "0"), put_right, *game.rest).findings
    assert "first settled with 0.00, then put right" in outcome.message


@every_game
def test_what_is_booked_elsewhere_is_told_once_for_the_box(game: ComparedGame) -> None:
    (wrong,) = answer(game, *_more_on_the_side(game)).findings
    assert (wrong.kind, wrong.player, wrong.box, wrong.money) == ("allocation", "P1", 1, 0)


@every_game
def test_of_two_players_nothing_is_booked_on_the_other(game: ComparedGame) -> None:
    other = f"settle 1 P2 {game.side} 5.00 0 4.00"
    kinds = {
        kind for kind, _, _ in found(game, main(game, "10.00", "10.00", "6.00"), *game.rest, other)
    }
    assert kinds == {"wrong_odds", "unowed_payment"}


@every_game
def test_a_void_without_a_ground(game: ComparedGame) -> None:
    returned = (main(game, "10.00", "10.00", "0"), game.rest[0].replace(" 0 0", " 5.00 0"))
    wrong = answer(game, "void 5.99 by pit_manager", *returned)
    assert wrong.status == "settled"
    assert [f.kind for f in wrong.findings] == ["wrong_void"]


@every_lost_side
@pytest.mark.parametrize(
    ("initial", "pair", "money"),
    [
        pytest.param("10.00 0", "0 0", 0, id="the stake of the undecided bet comes back"),
        pytest.param("10.00 0", "5.00 0", 500, id="a lost bet comes back as well"),
        pytest.param("10.00 10.00", "0 0", 1000, id="winnings for the undecided bet"),
        pytest.param("15.00 0", "0 0", 500, id="more comes back than lay there"),
    ],
)
def test_a_void_without_a_ground_where_play_stopped(
    game: ComparedGame, initial: str, pair: str, money: int
) -> None:
    stopped = replace(game, play=game.play[:4])
    settled = f"settle 1 P1 initial 10.00 {initial}", f"settle 1 P1 player_pair 5.00 {pair}"
    wrong = answer(stopped, "void 5.99 by pit_manager", *settled)
    assert [line.bet for line in wrong.lines] == ["player_pair"]
    assert [f.money for f in wrong.findings if f.kind == "wrong_void"] == [money]


@every_lost_side
def test_an_undecided_stake_that_comes_back_by_another_reading_is_no_gain(
    game: ComparedGame,
) -> None:
    stopped = replace(game, play=game.play[:4])
    returned = main(game, "10.00", "10.00", "0")
    round_ = facts(stopped, "void 5.99 by pit_manager", returned, *game.rest)
    void = Line(1, 1, "P1", "initial", 1000, 1000, 0, "returned", None, ("5.99",), 1000)
    derived = replace(
        audit(round_),
        turned={"made-up": {void.key: void}},
        turned_void={"made-up": "5.99"},
    )
    some = compare(round_, derived)
    assert [(f.kind, f.bet, f.money) for f in some] == [("reading_conflict", "initial", 0)]


@every_game
def test_a_void_that_nobody_declared(game: ComparedGame) -> None:
    foreign = ComparedGame(
        game.rulebook, game.main, tuple(p.replace("1:QS", "1:JOKER").replace("1:3C-", "1:JOKER-")
        for p in game.play), game.rest, game.side, game.side_right, game.unplaced,
    )  # fmt: skip
    wrong = answer(foreign, main(game, "10.00", "10.00", "10.00"), *game.rest)
    assert wrong.status == "void"
    assert "missed_void" in [f.kind for f in wrong.findings]


@every_game
def test_the_id_stays_when_the_rest_of_the_round_changes(game: ComparedGame) -> None:
    wrong = main(game, "10.00", "10.00", "15.00")
    refused = (f"refuse 1 P1 {game.main} 5.00",)
    one = answer(game, wrong, *game.rest).findings
    two = answer(game, *game.rest, wrong, before=refused).findings
    assert [f.id for f in one] == [f.id for f in two]
    assert len({f.id for f in one}) == 1


@every_game
def test_different_things_have_different_ids(game: ComparedGame) -> None:
    some = answer(game, f"settle 1 P1 {game.unplaced} 0 0 50.00").findings
    assert len({f.id for f in some}) == len(some) >= 2


def _two_players(*end: str) -> list[Finding]:
    play = ["bet 1 P1 initial 20.00", "bet 2 P2 initial 20.00", "close"]
    play += ["deal 1:9S 2:KD 0:8H 1:9C 2:6H", "stand 1 P1", "stand 2 P2", "deal 0:9D"]
    case = {"name": "5.19 two players", "play": [*play, *end]}
    (round_,) = facts_of(load(case, "pontoon-plus-rws-v5", "test").events)
    return audit(round_).findings


def test_two_players_who_are_out_in_opposite_directions_do_not_cancel() -> None:
    back = ("settle 1 P1 initial 20.00 20.00 0", "settle 2 P2 initial 20.00 20.00 0")
    (wrong,) = _two_players("void 5.99 by pit_manager", *back)
    assert (wrong.kind, wrong.money) == ("wrong_void", 0)
    told = wrong.to_json()
    assert (told["too_much"], told["too_little"]) == (2000, 2000)


def test_the_sums_of_one_player_are_his_money() -> None:
    settled = ("settle 1 P1 initial 20.00 20.00 30.00", "settle 2 P2 initial 20.00 0 0")
    (wrong,) = _two_players(*settled)
    told = wrong.to_json()
    assert (told["money"], told["too_much"], told["too_little"]) == (1000, 1000, 0)


def test_a_finding_without_money_has_no_sums() -> None:
    settled = ("settle 1 P1 initial 20.00 20.00 20.00", "settle 2 P2 initial 20.00 0 0")
    (wrong,) = _two_players("rule other 5.19 by shift_manager", *settled)
    told = wrong.to_json()
    assert (told["kind"], told["money"]) == ("discretion", None)
    assert (told["too_much"], told["too_little"]) == (None, None)
