"""The progressive meter across the tables that share it: it grows, is won and starts again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from events.codec import decode
from events.devices.deliver import deliver
from events.devices.floor import Floor, default_floor
from events.log.files.log import FileLog
from events.model import BetPlaced, BetsClosed, BetSettled, Envelope, JackpotRead
from tests.devices.kit import an_order, envelopes, natural_floor

POKER = "three-card-poker-rws-v3"
Moment = tuple[datetime, int, str, int]


def moments(events: list[Envelope]) -> Iterator[Moment]:
    """What one table did to or saw of its meter: time, rank among equals, what, how much."""
    bets = 0
    for e in events:
        assert e.at is not None
        if isinstance(e.event, BetPlaced) and e.event.bet == "progressive":
            bets += 1
        elif isinstance(e.event, BetsClosed):
            yield e.at, 0, "grow", bets
            bets = 0
        elif isinstance(e.event, JackpotRead):
            yield e.at, 1, "read", e.event.amount
        elif isinstance(e.event, BetSettled) and is_major(e.event):
            yield e.at, 2, "win", e.event.winnings


def is_major(event: BetSettled) -> bool:
    """More than any fixed amount of the jackpot's table."""
    return event.bet == "progressive" and event.winnings > 1_250_00


def late_floor() -> Floor:
    """A floor on which somebody offers chips after every close, and is turned down."""
    floor = default_floor()
    return dataclasses.replace(floor, guests=dataclasses.replace(floor.guests, bets_late=1.0))


@pytest.mark.parametrize("floor", [default_floor(), late_floor()], ids=["usual", "late chips"])
def test_the_meter_adds_up_over_all_its_tables(floor: Floor) -> None:
    """Each close of bets moves it at that moment, whatever else the table does before it reads."""
    order = an_order(tables=4, rounds=150, seed=4, rulebook=POKER, irregularities=0.1)
    sent = envelopes(order, floor)
    jackpot = floor.jackpot
    log = sorted(m for events in sent.values() for m in moments(events))
    cents = None
    wins = 0
    for _, _, what, amount in log:
        if what == "grow":
            cents = None if cents is None else cents + amount * jackpot.growth_cents
        elif what == "win":
            wins += 1
            cents = jackpot.reset_cents
        else:
            if cents is not None:
                assert amount == cents
            cents = amount
    assert wins >= 1  # a rare hand that every day arranges once


def test_tables_of_one_link_show_one_meter() -> None:
    sent = envelopes(an_order(tables=6, rounds=5, rulebook=POKER))
    names = {
        table: {e.event.jackpot for e in events if isinstance(e.event, JackpotRead)}
        for table, events in sent.items()
    }
    assert names["RWS-3C-01"] == names["RWS-3C-04"] == {"3CP-1"}
    assert names["RWS-3C-05"] == names["RWS-3C-06"] == {"3CP-2"}


def test_the_house_settings_go_before_the_floor() -> None:
    order = dataclasses.replace(
        an_order(tables=1, rounds=30, rulebook=POKER), jackpots=(("3CP-1", 777, 0),)
    )
    readings = {
        e.event.amount
        for events in envelopes(order).values()
        for e in events
        if isinstance(e.event, JackpotRead)
    }
    assert readings == {777}


def test_the_next_day_goes_on_from_the_last_reading(tmp_path: Path) -> None:
    log = FileLog(tmp_path / "log", write=True)
    first = an_order(tables=2, rounds=10, rulebook=POKER)
    day_us = first.end_us - first.start_us
    second = dataclasses.replace(
        first,
        day=first.day + timedelta(days=1),
        start_us=first.end_us,
        end_us=first.end_us + day_us,
    )
    for order in (first, second):
        deliver(order, natural_floor(), log)
    events = [decode(message.value) for message in log.read({})]
    log.close()
    grown = sorted(m for t in ("RWS-3C-01", "RWS-3C-02") for m in moments_of(events, t))
    cents = next(amount for _, _, what, amount in grown if what == "read")
    growth = default_floor().jackpot.growth_cents
    seen = False
    for _, _, what, amount in grown:
        if what == "grow" and seen:
            cents += amount * growth
        elif what == "read":
            seen = True
            assert amount == cents


def moments_of(events: list[Envelope], table: str) -> Iterator[Moment]:
    return moments([e for e in events if e.table == table])
