"""Waivers: who accepted what, and when a finding comes back."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from checks.waivers import Waiver, apply_waivers, content_of

AT = datetime(2026, 11, 15, 3, tzinfo=UTC)
UNTIL = date(2026, 12, 31)


def a_finding(**more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": "F0123", "kind": "wrong_odds", "severity": "money", "table_id": "T-1", "round": "R1",
        "rulebook": "blackjack-rws-v5", "seq": 9, "box": 1, "hand": 1, "player": "P1",
        "bet": "initial", "expected": '{"winnings": 1000}', "recorded": '{"winnings": 1500}',
        "money": 500, "clauses": ["3.23.2"], "message": "paid too much",
    }  # fmt: skip
    return base | more


def a_waiver(finding: dict[str, Any] | None = None, until: date = UNTIL, **more: Any) -> Waiver:
    given = finding or a_finding()
    own: dict[str, Any] = {"reason": "agreed with the player", "by": "A. Tan", "at": AT} | more
    return Waiver("W1", given["id"], content_of(given), until=until, **own)


def test_a_waived_finding_is_covered_until_its_last_day() -> None:
    waiver = a_waiver()
    assert apply_waivers([a_finding()], [waiver], UNTIL) == [waiver]
    assert apply_waivers([a_finding()], [waiver], date(2027, 1, 1)) == [None]


@pytest.mark.parametrize(
    "change",
    [
        {"money": 600},
        {"kind": "wrong_stake"},
        {"recorded": '{"winnings": 1600}'},
        {"clauses": ["4.1"]},
        {"player": "P2"},
    ],
)
def test_a_finding_that_changed_comes_back(change: dict[str, Any]) -> None:
    assert apply_waivers([a_finding(**change)], [a_waiver()], AT.date()) == [None]


def test_another_wording_is_the_same_finding() -> None:
    told = a_finding(message="paid 5.00 too much", recorded='{"winnings":1500}')
    assert apply_waivers([told], [a_waiver()], AT.date()) == [a_waiver()]


def test_other_findings_are_not_covered() -> None:
    other = a_finding(id="F9999")
    covered = apply_waivers([other, a_finding()], [a_waiver()], AT.date())
    assert covered == [None, a_waiver()]


def test_of_several_the_last_one_given_counts() -> None:
    first, last = a_waiver(), a_waiver(by="B. Lim", at=AT.replace(hour=4))
    assert apply_waivers([a_finding()], [first, last], AT.date()) == [last]


def test_an_ended_one_does_not_hide_one_that_holds() -> None:
    holds, ended = a_waiver(), a_waiver(until=date(2026, 11, 15))
    assert apply_waivers([a_finding()], [holds, ended], date(2026, 11, 16)) == [holds]


def test_the_content_does_not_depend_on_how_json_is_spaced() -> None:
    assert content_of(a_finding(expected='{"winnings":1000}')) == content_of(a_finding())
