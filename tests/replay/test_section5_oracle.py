"""3 Card Poker's section 5 against a second working-out of it: rounds with two or three errors."""

from __future__ import annotations

import pytest

from checks.golden.judge import differences
from checks.golden.load import load
from tests.replay.section5_oracle import Rounds

BOOK = "three-card-poker-rws-v3"


def wrong(seed: int) -> list[str]:
    worked = Rounds(seed).make()
    case = {
        "name": f"5.10 round {seed}",
        "play": worked.play,
        "lines": worked.lines,
        "findings": worked.findings,
    }
    if worked.void is not None:
        case["void"] = worked.void
    found = differences(load(case, BOOK, "made up"))
    return [*worked.play, *found] if found else []


@pytest.mark.parametrize("block", range(8))
def test_several_errors_in_one_round_each_have_their_own_end(block: int) -> None:
    for seed in range(block * 150, (block + 1) * 150):
        assert not wrong(seed), seed


def test_the_rounds_are_of_many_kinds() -> None:
    made = [Rounds(seed).make() for seed in range(1200)]
    assert len({worked.void for worked in made}) >= 6
    some = {finding.split()[0] for worked in made for finding in worked.findings}
    assert some >= {"discretion", "illegal_decision", "missing_option", "deal_order"}
    back = [line for worked in made for line in worked.lines if "5.10.3" in line or "5.15" in line]
    assert len(back) > 50


@pytest.mark.soak
def test_a_long_search_over_several_errors() -> None:
    for seed in range(1200, 60_000):
        assert not wrong(seed), seed
