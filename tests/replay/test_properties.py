"""What holds always: one line per bet, no money from nothing, the same bytes, never a crash."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given, settings

from checks.audit import audit_file
from events.model import BetPlaced, BetWithdrawn, DecisionMade, Envelope
from replay.answer import Answer
from tests.replay.made_up import legal_rounds, wild_rounds

PAYMENTS = {"super_bonus", "super_bonus_share", "ante_bonus", "envy_bonus"}


def answer(events: Sequence[Envelope], turned: tuple[str, ...] = ()) -> Answer:
    (found,) = audit_file(events, turned)
    return found


def as_bytes(found: Answer) -> bytes:
    return json.dumps(found.to_json()).encode()


def bets_on_the_table(events: Sequence[Envelope]) -> set[tuple[int, int, str, str]]:
    return {
        (e.event.box, e.event.hand, e.event.player, e.event.bet)
        for e in events
        if isinstance(e.event, BetPlaced)
    }


def no_money_from_nothing(found: Answer) -> None:
    for line in found.lines:
        assert 0 <= line.stake_returned <= line.stake
        assert line.winnings >= 0
        assert line.clauses
        if line.bet in PAYMENTS:
            assert line.stake == line.stake_returned == 0
            assert line.outcome == "win"
        if line.winnings:
            assert line.outcome == "win"
        if line.outcome in {"stand_off", "returned"}:
            assert line.stake_returned == line.stake


@given(legal_rounds)
@settings(max_examples=300, deadline=None)
def test_a_legal_round_is_settled_with_one_line_per_bet_and_no_breach(
    events: list[Envelope],
) -> None:
    found = answer(events)
    assert found.status == "settled"
    keys = [line.key for line in found.lines if line.bet not in PAYMENTS]
    assert len(keys) == len(set(keys))
    assert set(keys) == bets_on_the_table(events)
    assert [f.kind for f in found.findings if f.kind not in {"unsettled_bet", "missed_bonus"}] == []
    no_money_from_nothing(found)


@given(legal_rounds)
@settings(max_examples=100, deadline=None)
def test_the_order_in_which_boxes_bet_does_not_matter(events: list[Envelope]) -> None:
    close = next(i for i, e in enumerate(events) if e.type == "BetsClosed")
    turned_round = [events[0], *reversed(events[1:close]), *events[close:]]
    mine = [(line.key, line.money) for line in answer(events).lines]
    assert mine == [(line.key, line.money) for line in answer(turned_round).lines]


@given(legal_rounds)
@settings(max_examples=100, deadline=None)
def test_a_log_that_stops_early_keeps_the_lines_that_were_decided(events: list[Envelope]) -> None:
    whole = {line.key: line.money for line in answer(events).lines}
    for stop in range(1, len(events)):
        found = answer(events[:stop])
        assert found.status == "incomplete"
        for line in found.lines:
            if not later_chips(events[stop:], line.key):
                assert whole[line.key] == line.money


def later_chips(events: Sequence[Envelope], key: tuple[int, int, str, str]) -> bool:
    """Whether more happened to that hand after the cut."""
    for envelope in events:
        event = envelope.event
        if isinstance(event, BetPlaced | BetWithdrawn | DecisionMade) and event.box == key[0]:
            return True
    return False


@given(wild_rounds)
@settings(max_examples=600, deadline=None)
def test_any_events_get_an_answer(events: list[Envelope]) -> None:
    found = answer(events)
    assert found.status in {"settled", "void", "incomplete", "unreplayable"}
    no_money_from_nothing(found)
    keys = [line.key for line in found.lines]
    assert len(keys) == len(set(keys))
    assert keys == sorted(keys)
    assert as_bytes(found) == as_bytes(answer(events))
    ids = [finding.id for finding in found.findings]
    assert len(ids) == len(set(ids)), [f.message for f in found.findings]
