"""Derived against recorded, in every rulebook: each kind told from those that look like it.

The player wins even money on his main bet: at the games of 21 with 20 against 19, at 3 Card Poker
with a pair of nines against queen high. `Q` is his main bet, 10.00; `S` a side bet of 5.00 that
loses (king and queen are no pair; at 3 Card Poker it is the Play, which wins as well).
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from checks.audit import audit_round
from events.jsonl import from_flat
from replay.answer import Answer
from replay.registry import IDS
from replay.rounds import facts_of
from tests.golden import Script, _opening

CARDS = ("deal 1:KS 0:9H 1:QS", "stand 1 P1", "deal 0:KD")


@dataclass(frozen=True)
class Game:
    rulebook: str
    main: str
    play: tuple[str, ...]
    rest: tuple[str, ...]  # how the other bets of the round are rightly settled
    side: str
    side_right: str
    unplaced: str


def _twenty_one(rulebook: str) -> Game:
    bets = ("bet 1 P1 initial 10.00", "bet 1 P1 player_pair 5.00", "close")
    lost = "settle 1 P1 player_pair 5.00 0 0"
    return Game(
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
    Game("three-card-poker-rws-v3", "ante", _POKER, (_PLAY,), "play", _PLAY, "ante_bonus"),
]

every_game = pytest.mark.parametrize("game", GAMES, ids=[game.rulebook for game in GAMES])


def answer(game: Game, *settled: str, close: bool = True, before: tuple[str, ...] = ()) -> Answer:
    script = Script("R1")
    script.add("RoundOpened", **_opening(game.rulebook, {}))
    for line in (*before, *game.play, *settled, *(("end",) if close else ())):
        script.run(line)
    (round_,) = facts_of([from_flat(e) for e in script.out])
    return audit_round(round_)


def found(
    game: Game, *settled: str, close: bool = True
) -> list[tuple[str, str | None, int | None]]:
    return [(f.kind, f.bet, f.money) for f in answer(game, *settled, close=close).findings]


def main(game: Game, stake: str, back: str, winnings: str) -> str:
    return f"settle 1 P1 {game.main} {stake} {back} {winnings}"


@every_game
def test_settled_as_the_rulebook_gives_it(game: Game) -> None:
    assert found(game, main(game, "10.00", "10.00", "10.00"), *game.rest) == []


@every_game
def test_in_two_parts_that_make_up_the_whole(game: Game) -> None:
    parts = (main(game, "10.00", "10.00", "0"), main(game, "10.00", "0", "10.00"))
    assert found(game, *parts, *game.rest) == []


@every_game
def test_wrong_odds(game: Game) -> None:
    wrong = found(game, main(game, "10.00", "10.00", "15.00"), *game.rest)
    assert wrong == [("wrong_odds", game.main, 500)]


@every_game
def test_wrong_outcome_a_winner_collected(game: Game) -> None:
    wrong = found(game, main(game, "10.00", "0", "0"), *game.rest)
    assert wrong == [("wrong_outcome", game.main, -2000)]


@every_game
def test_wrong_outcome_a_winner_given_only_his_stake(game: Game) -> None:
    wrong = found(game, main(game, "10.00", "10.00", "0"), *game.rest)
    assert wrong == [("wrong_outcome", game.main, -1000)]


@every_game
def test_wrong_stake_goes_before_wrong_odds(game: Game) -> None:
    wrong = found(game, main(game, "8.00", "8.00", "8.00"), *game.rest)
    assert wrong == [("wrong_stake", game.main, -400)]


@every_game
def test_unsettled(game: Game) -> None:
    assert found(game, *game.rest) == [("unsettled_bet", game.main, -2000)]


@every_game
def test_nothing_is_unsettled_while_the_round_is_open(game: Game) -> None:
    kinds = [kind for kind, _, _ in found(game, *game.rest, close=False)]
    assert kinds == ["incomplete_round"]


@every_game
def test_paid_a_second_time(game: Game) -> None:
    right = main(game, "10.00", "10.00", "10.00")
    assert found(game, right, right, *game.rest) == [("unowed_payment", game.main, 2000)]


@every_game
def test_paid_for_nothing(game: Game) -> None:
    extra = f"settle 1 P1 {game.unplaced} 0 0 50.00"
    wrong = found(game, main(game, "10.00", "10.00", "10.00"), extra, *game.rest)
    assert wrong == [("unowed_payment", game.unplaced, 5000)]


@every_game
def test_settled_wrongly_and_put_right(game: Game) -> None:
    put_right = f"correct 1 P1 {game.main} 10.00 10.00 10.00 misread"
    wrong = found(game, main(game, "10.00", "0", "0"), put_right, *game.rest)
    assert wrong == [("corrected", game.main, 0)]


@every_game
def test_a_correction_that_changes_nothing_is_none(game: Game) -> None:
    again = f"correct 1 P1 {game.main} 10.00 10.00 10.00 to be sure"
    assert found(game, main(game, "10.00", "10.00", "10.00"), again, *game.rest) == []


@every_game
def test_a_correction_that_makes_it_wrong(game: Game) -> None:
    worse = f"correct 1 P1 {game.main} 10.00 0 0 misread"
    wrong = found(game, main(game, "10.00", "10.00", "10.00"), worse, *game.rest)
    assert wrong == [("wrong_outcome", game.main, -2000)]


@every_game
def test_right_in_total_and_booked_on_another_line(game: Game) -> None:
    words = game.side_right.split()
    more = f"{int(words[-1].split('.')[0]) + 4}.00"
    side = " ".join([*words[:-1], more])
    wrong = answer(game, main(game, "10.00", "10.00", "6.00"), side).findings
    assert [(f.kind, f.player, f.box, f.money) for f in wrong] == [("allocation", "P1", 1, 0)]


@every_game
def test_of_two_players_nothing_is_booked_on_the_other(game: Game) -> None:
    other = f"settle 1 P2 {game.side} 5.00 0 4.00"
    kinds = {
        kind for kind, _, _ in found(game, main(game, "10.00", "10.00", "6.00"), *game.rest, other)
    }
    assert kinds == {"wrong_odds", "unowed_payment"}


@every_game
def test_a_void_without_a_ground(game: Game) -> None:
    returned = (main(game, "10.00", "10.00", "0"), game.rest[0].replace(" 0 0", " 5.00 0"))
    wrong = answer(game, "void 5.99 by pit_manager", *returned)
    assert wrong.status == "settled"
    assert [f.kind for f in wrong.findings] == ["wrong_void"]


@every_game
def test_a_void_that_nobody_declared(game: Game) -> None:
    foreign = Game(
        game.rulebook, game.main, tuple(p.replace("1:QS", "1:JOKER").replace("1:3C-", "1:JOKER-")
        for p in game.play), game.rest, game.side, game.side_right, game.unplaced,
    )  # fmt: skip
    wrong = answer(foreign, main(game, "10.00", "10.00", "10.00"), *game.rest)
    assert wrong.status == "void"
    assert "missed_void" in [f.kind for f in wrong.findings]


@every_game
def test_the_id_stays_when_the_rest_of_the_round_changes(game: Game) -> None:
    wrong = main(game, "10.00", "10.00", "15.00")
    refused = (f"refuse 1 P1 {game.main} 5.00",)
    one = answer(game, wrong, *game.rest).findings
    two = answer(game, *game.rest, wrong, before=refused).findings
    assert [f.id for f in one] == [f.id for f in two]
    assert len({f.id for f in one}) == 1


@every_game
def test_different_things_have_different_ids(game: Game) -> None:
    some = answer(game, f"settle 1 P1 {game.unplaced} 0 0 50.00").findings
    assert len({f.id for f in some}) == len(some) >= 2
