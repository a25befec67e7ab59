"""Planted faults: every kind, in every rulebook where it can occur, never two in one round."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from events.chain import ChainVerdict
from events.codec import decode_record
from events.devices.run import Hour
from events.errors import DecodeError
from tests.devices.kit import RULEBOOKS, an_order, hours, values
from tests.events.chain_kit import link_of, verify_chain

MONEY = set(
    "wrong_odds wrong_outcome wrong_stake unsettled_bet unowed_payment missed_bonus missed_void "
    "wrong_void".split()
)
PROCEDURE = set(
    "illegal_decision illegal_bet late_bet over_limit under_limit side_bet_alone dealer_draw "
    "deal_order missing_option illegal_examination illegal_setup illegal_reconstruction "
    "round_not_concluded".split()
)
INTEGRITY = set(
    "sequence_gap duplicate_event out_of_order broken_chain incomplete_round unknown_rulebook "
    "implausible_time impossible_card undecodable truncated clock_backwards shoe_mismatch "
    "meter_mismatch".split()
)
ONLY_RWS = {"missing_option", "over_limit", "under_limit", "round_not_concluded"}
CANNOT = {
    "pontoon-plus-rws-v5": {"illegal_examination", "meter_mismatch"},
    "blackjack-rws-v5": {
        "illegal_examination",
        "meter_mismatch",
        "missed_bonus",
    },
    "pontoon-pandemonium-rws-v4": ONLY_RWS
    | {"illegal_examination", "illegal_reconstruction", "meter_mismatch"},
    "pontoon-mbs-v5": ONLY_RWS
    | {"illegal_examination", "illegal_reconstruction", "meter_mismatch"},
    "three-card-poker-rws-v3": {"dealer_draw", "illegal_reconstruction", "implausible_time"},
}
BY_PREFIX = {
    "RWS-PP": "pontoon-plus-rws-v5",
    "RWS-BJ": "blackjack-rws-v5",
    "RWS-PD": "pontoon-pandemonium-rws-v4",
    "MBS-PO": "pontoon-mbs-v5",
    "RWS-3C": "three-card-poker-rws-v3",
}


@pytest.fixture(scope="module")
def crooked() -> list[Hour]:
    return hours(an_order(tables=30, rounds=160, seed=8, faults=0.4, ends_are_kept=True))


@pytest.fixture(scope="module")
def truths(crooked: list[Hour]) -> list[dict[str, Any]]:
    return [truth for hour in crooked for truth in hour.truths]


@pytest.mark.parametrize("which", RULEBOOKS)
def test_every_kind_is_planted(truths: list[dict[str, Any]], which: str) -> None:
    found = {t["kind"] for t in truths if BY_PREFIX[t["table"][:6]] == which}
    assert found == (MONEY | PROCEDURE | INTEGRITY) - CANNOT[which]


def test_never_two_in_one_round(truths: list[dict[str, Any]]) -> None:
    rounds = Counter(t["round"] for t in truths if t["kind"] != "truncated")
    assert max(rounds.values()) == 1


def test_a_truth_names_its_round_and_its_event(
    crooked: list[Hour], truths: list[dict[str, Any]]
) -> None:
    sent = values(crooked)
    for truth in truths:
        assert set(truth) == {"round", "kind", "box", "hand", "player", "bet", "table", "seq"}
        if truth["kind"] == "truncated":
            assert truth["round"] is None  # it is the table's record that lost its end
        else:
            assert truth["round"].startswith(truth["table"])
        assert 0 < truth["seq"] <= len(sent[truth["table"]]) + 50


def test_the_chain_shows_damage_where_the_truth_says(
    crooked: list[Hour], truths: list[dict[str, Any]]
) -> None:
    verdicts = {
        "sequence_gap": ChainVerdict.MISSING,
        "duplicate_event": ChainVerdict.DUPLICATED,
        "out_of_order": ChainVerdict.OUT_OF_ORDER,
        "broken_chain": ChainVerdict.BROKEN,
        "truncated": ChainVerdict.TRUNCATED,
    }
    ends = {table: end for hour in crooked for table, end in hour.lost_ends.items()}
    planted: dict[str, Counter[ChainVerdict]] = defaultdict(Counter)
    unreadable: Counter[str] = Counter()
    for truth in truths:
        if truth["kind"] in verdicts:
            planted[truth["table"]][verdicts[truth["kind"]]] += 1
        unreadable[truth["table"]] += truth["kind"] == "undecodable"
    for table, messages in values(crooked).items():
        links, bad = [], []
        for value in messages:
            try:
                links.append(link_of(decode_record(value), value))
            except DecodeError:
                bad.append(value)
        assert len(bad) == unreadable[table]
        known = {end.seq: end.hash for end in [ends.get(table)] if end}
        report = verify_chain(table, links, known=known, quarantined=bad)
        assert Counter(b.verdict for b in report.breaks) == planted[table], table


def test_an_end_is_lost_only_where_somebody_could_tell() -> None:
    played = hours(an_order(tables=10, rounds=3, faults=0.4))
    assert not [hour for hour in played if hour.lost_ends]


def test_honest_tables_have_no_truth_to_tell() -> None:
    assert not [t for hour in hours(an_order(rounds=40, irregularities=0.3)) for t in hour.truths]
