"""A small floor to play on, and its events taken apart again."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from events.codec import decode, decode_record
from events.days import GamingDay
from events.devices.floor import Floor, default_floor
from events.devices.plan import Before, Order, micros, tables_of, units_of
from events.devices.run import Hour, play_floor
from events.model import Envelope, RoundOpened

DAY = date(2026, 11, 14)
RULEBOOKS = tuple(default_floor().games)


def an_order(tables: int = 5, rounds: int | None = 20, **more: Any) -> Order:
    days = GamingDay()
    start, end = micros(days.start_of(DAY)), micros(days.end_of(DAY))
    return Order(tables=tables, day=DAY, start_us=start, end_us=end, rounds=rounds, **more)


def natural_floor() -> Floor:
    """A floor that arranges no hands."""
    floor = default_floor()
    return dataclasses.replace(floor, day=dataclasses.replace(floor.day, staged_every=0))


def hours(order: Order, floor: Floor | None = None, processes: int = 1) -> list[Hour]:
    floor = floor or default_floor()
    return list(play_floor(units_of(tables_of(order, floor)), order, floor, Before(), processes))


def values(played: Iterable[Hour]) -> dict[str, list[bytes]]:
    """The messages of each table, in the order sent."""
    out: dict[str, list[bytes]] = defaultdict(list)
    for hour in played:
        for table, messages, _ in hour.messages:
            out[table] += messages
    return dict(out)


def envelopes(order: Order, floor: Floor | None = None) -> dict[str, list[Envelope]]:
    """The events of each table as the contract types them; every one is held to the contract."""
    sent = values(hours(order, floor))
    return {table: [decode(value) for value in messages] for table, messages in sent.items()}


def records(order: Order, floor: Floor | None = None) -> dict[str, list[dict[str, Any]]]:
    """The same as plain records, where speed matters."""
    sent = values(hours(order, floor))
    return {table: [decode_record(v) for v in messages] for table, messages in sent.items()}


def rounds_of(events: Iterable[Envelope]) -> list[list[Envelope]]:
    """The events of each round, in order of play."""
    out: list[list[Envelope]] = []
    for envelope in events:
        if envelope.round is None:
            continue
        if isinstance(envelope.event, RoundOpened):
            out.append([])
        out[-1].append(envelope)
    return out
