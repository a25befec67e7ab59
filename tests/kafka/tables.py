"""Small, valid traffic: tables that play rounds of eight events each, chained by their gateways."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import (
    BetPlaced,
    BetsClosed,
    BetSettled,
    CardDealt,
    Event,
    Limit,
    RoundClosed,
    RoundOpened,
)

START = datetime(2026, 11, 15, 4, tzinfo=UTC)
LIMITS = {"initial": Limit(2500, 100_000)}


def one_round() -> Iterator[Event]:
    """A player who loses quickly."""
    yield RoundOpened("pontoon-plus-rws-v5", "S1", 6, 7, LIMITS)
    yield BetPlaced(1, 1, "P1", "initial", 2500, True)
    yield BetsClosed()
    yield CardDealt(1, 1, 1, "TS", True)
    yield CardDealt(2, 0, 0, "KH", True)
    yield CardDealt(3, 1, 1, "9D", True)
    yield BetSettled(1, 1, "P1", "initial", 2500, 0, 0, "final")
    yield RoundClosed()


def endless(table: str) -> Iterator[Outgoing]:
    """What one table sends, for ever."""
    gateway = Gateway(table)
    at = START
    number = 0
    while True:
        number += 1
        for event in one_round():
            at += timedelta(milliseconds=500)
            yield gateway.send(event, at=at, device="console", round_=f"{table}-{number:06}")


def traffic(messages: int, tables: int = 4) -> list[Outgoing]:
    """Messages of several tables, taking turns."""
    playing = [endless(f"RWS-PP-{number:02}") for number in range(1, tables + 1)]
    turns = (next(table) for _ in range(messages) for table in playing)
    return list(islice(turns, messages))
