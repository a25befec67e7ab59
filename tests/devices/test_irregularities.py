"""Irregularities: every kind occurs, and what the texts prescribe follows."""

from __future__ import annotations

from collections import Counter

import pytest

from events.contract import IRREGULARITIES
from events.model import (
    BetPlaced,
    BetSettled,
    BetWithdrawn,
    CardDealt,
    CardDiscarded,
    CardsMoved,
    Envelope,
    IrregularityNoted,
    OptionTaken,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    SettlementCorrected,
)
from tests.devices.kit import RULEBOOKS, an_order, envelopes, rounds_of

VOIDS = {
    "pontoon-plus-rws-v5": {"5.4.2", "5.5.1", "5.5.2", "5.5.3", "5.5.4"},
    "blackjack-rws-v5": {"5.4.2", "5.5.1", "5.5.2", "5.5.3", "5.5.4"},
    "pontoon-pandemonium-rws-v4": {"5.1.1", "5.1.2"},
    "pontoon-mbs-v5": {"5.1.1", "5.2"},
    "three-card-poker-rws-v3": {
        "5.7.2",
        "5.8.1",
        "5.8.2",
        "5.8.3",
        "5.8.4",
        "5.8.5",
        "5.8.6",
        "5.8.7",
        "5.9",
        "5.16",
    },
}


@pytest.fixture(scope="module")
def troubled() -> list[list[Envelope]]:
    sent = envelopes(an_order(tables=20, rounds=150, seed=12, irregularities=0.4))
    return [played for events in sent.values() for played in rounds_of(events)]


def rulebook(played: list[Envelope]) -> str:
    event = played[0].event
    assert isinstance(event, RoundOpened)
    return event.rulebook


def test_every_kind_of_the_contract_occurs(troubled: list[list[Envelope]]) -> None:
    noted = {e.event.kind for p in troubled for e in p if isinstance(e.event, IrregularityNoted)}
    assert noted == IRREGULARITIES


@pytest.mark.parametrize("which", RULEBOOKS)
def test_every_void_ground_of_the_text_occurs(troubled: list[list[Envelope]], which: str) -> None:
    clauses = {
        e.event.clause
        for played in troubled
        for e in played
        if isinstance(e.event, RoundVoided) and rulebook(played) == which
    }
    assert clauses == VOIDS[which]


def test_a_void_round_gives_every_bet_back(troubled: list[list[Envelope]]) -> None:
    for played in troubled:
        if not any(isinstance(e.event, RoundVoided) for e in played):
            continue
        last: dict[tuple[int, int, str, str], BetSettled | SettlementCorrected] = {}
        lay = Counter[tuple[int, int, str, str]]()
        for e in played:
            if isinstance(e.event, BetSettled | SettlementCorrected):
                last[e.event.box, e.event.hand, e.event.player, e.event.bet] = e.event
            elif isinstance(e.event, BetPlaced):
                lay[e.event.box, e.event.hand, e.event.player, e.event.bet] += e.event.amount
            elif isinstance(e.event, BetWithdrawn) and e.event.bet != "double":
                lay[e.event.box, e.event.hand, e.event.player, e.event.bet] -= e.event.amount
        for line, cents in lay.items():
            if cents:
                assert last[line].stake_returned == last[line].stake == cents
                assert last[line].winnings == 0


def test_every_round_closes(troubled: list[list[Envelope]]) -> None:
    assert all(isinstance(played[-1].event, RoundClosed) for played in troubled)


def test_moves_and_discards_name_cards_that_were_dealt(troubled: list[list[Envelope]]) -> None:
    for played in troubled:
        dealt = {e.event.draw for e in played if isinstance(e.event, CardDealt)}
        for e in played:
            if isinstance(e.event, CardsMoved):
                assert {m.draw for m in e.event.moves} <= dealt
            elif isinstance(e.event, CardDiscarded):
                assert e.event.draw in dealt


@pytest.mark.parametrize("which", ["pontoon-plus-rws-v5", "blackjack-rws-v5"])
def test_5_7_after_a_dealing_error_every_player_is_asked(
    troubled: list[list[Envelope]], which: str
) -> None:
    asked_in = 0
    for played in troubled:
        kinds = {e.event.kind for e in played if isinstance(e.event, IrregularityNoted)}
        if rulebook(played) != which or not kinds & {"dealing_error", "simultaneous_cards"}:
            continue
        asked_in += 1
        asked = {(e.event.box, e.event.player) for e in played if isinstance(e.event, OptionTaken)}
        bets: Counter[tuple[int, str]] = Counter()
        for e in played:
            if isinstance(e.event, BetPlaced):
                bets[e.event.box, e.event.player] += e.event.amount
            elif isinstance(e.event, BetWithdrawn) and e.event.bet != "double":
                bets[e.event.box, e.event.player] -= e.event.amount
        assert asked == {who for who, cents in bets.items() if cents}
    assert asked_in


def test_after_taking_his_bet_back_a_player_neither_wins_nor_loses(
    troubled: list[list[Envelope]],
) -> None:
    took = 0
    for played in troubled:
        settled: set[tuple[int, int, str, str]] = set()
        gone: set[tuple[int, str]] = set()
        for e in played:
            if isinstance(e.event, OptionTaken) and e.event.option == "take_back":
                gone.add((e.event.box, e.event.player))
                took += 1
            elif isinstance(e.event, BetSettled):
                line = (e.event.box, e.event.hand, e.event.player, e.event.bet)
                if (e.event.box, e.event.player) in gone and line not in settled:
                    assert (e.event.stake_returned, e.event.winnings) == (e.event.stake, 0)
                settled.add(line)
    assert took
