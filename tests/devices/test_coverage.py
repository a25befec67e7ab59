"""A day shows everything: decisions, bets and every row of every pay table."""

from __future__ import annotations

from collections import Counter

import pytest

from events.contract import BETS, DECISIONS
from events.devices.coverage import table_of
from tests.devices.kit import an_order, hours

PONTOON_ROWS = {
    f"pays 21 {row}"
    for row in (
        "5 cards 3 to 2",
        "6 cards 2 to 1",
        "7 cards 3 to 1",
        "678 mixed 3 to 2",
        "678 suited 2 to 1",
        "678 spades 3 to 1",
        "777 mixed 3 to 2",
        "777 suited 2 to 1",
        "777 spades 3 to 1",
        "regular 1 to 1",
        "doubled 1 to 1",
    )
} | {
    "pays natural 3 to 2",
    "pays player_pair 11 to 1",
    "pays super_bonus 1000",
    "pays super_bonus 5000",
}
POKER_ROWS = (
    {
        f"pays pair_plus {hand}"
        for hand in ("pair", "flush", "straight", "three of a kind", "straight flush")
    }
    | {f"pays ante_bonus {hand}" for hand in ("straight", "three of a kind", "straight flush")}
    | {
        f"pays progressive {hand}"
        for hand in (
            "straight",
            "three of a kind",
            "straight flush",
            "AKQ suited",
            "AKQ spades",
        )
    }
    | {"pays envy_bonus 50", "pays envy_bonus 250", "dealer qualifies", "dealer does not"}
)


@pytest.fixture(scope="module")
def tallies() -> dict[str, Counter[str]]:
    out: dict[str, Counter[str]] = {}
    for hour in hours(an_order(tables=20, rounds=400, seed=6)):
        for rulebook, tally in hour.tallies.items():
            out.setdefault(rulebook, Counter()).update(tally)
    return out


def test_every_decision_and_every_bet_occurs(tallies: dict[str, Counter[str]]) -> None:
    seen = {what for tally in tallies.values() for what in tally}
    assert {f"decision {d}" for d in DECISIONS} <= seen
    assert {f"bet {b}" for b in BETS} <= seen
    assert {"event BetRefused", "event BetWithdrawn"} <= seen


@pytest.mark.parametrize(
    "rulebook", ["pontoon-plus-rws-v5", "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5"]
)
def test_every_row_of_the_pontoon_tables(tallies: dict[str, Counter[str]], rulebook: str) -> None:
    assert set(tallies[rulebook]) >= PONTOON_ROWS


def test_the_rows_of_the_side_bets(tallies: dict[str, Counter[str]]) -> None:
    plus = tallies["pontoon-plus-rws-v5"]
    assert {f"pays bonus {n} to 1" for n in (40, 11, 8, 4, 3, 1)} <= set(plus)
    blackjack = tallies["blackjack-rws-v5"]
    assert {"pays under_13 1 to 1", "pays over_13 1 to 1"} <= set(blackjack)
    pandemonium = tallies["pontoon-pandemonium-rws-v4"]
    multipliers = (2, 3, 5, 10, 20, 25, 50, 100)
    assert {f"pays pandemonium {n} to 1" for n in multipliers} <= set(pandemonium)


def test_every_row_of_three_card_poker(tallies: dict[str, Counter[str]]) -> None:
    assert set(tallies["three-card-poker-rws-v3"]) >= POKER_ROWS


def test_the_table_is_sorted_and_whole(tallies: dict[str, Counter[str]]) -> None:
    rows = table_of(tallies)
    assert rows == sorted(rows)
    assert len(rows) == sum(len(t) for t in tallies.values())
