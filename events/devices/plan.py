"""Who plays where: the floor's tables for one gaming day, and which of them share a meter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from events.chain import Head
from events.devices.floor import Floor
from events.errors import EvenhandError

POKER = "three-card-poker-rws-v3"
CURRENCY = "SGD"
"""Of every simulated table."""


@dataclass(frozen=True, slots=True)
class Order:
    """What `evenhand simulate` was asked for."""

    tables: int
    day: date
    start_us: int
    end_us: int
    seed: int = 0
    rounds: int | None = None
    rulebook: str | None = None
    irregularities: float = 0.0
    faults: float = 0.0
    jackpots: tuple[tuple[str, int, int], ...] = ()  # name, reset and growth, as the house set them
    ends_are_kept: bool = False  # somebody writes down where chains end: a lost end can be told
    signed: bool = False  # gateways sign
    keys_are_kept: bool = False  # the registry knows their keys: what is wrong with one can be told


@dataclass(frozen=True, slots=True)
class Before:
    """What the day goes on from: the ends of the tables' chains, and the meters."""

    heads: Mapping[str, Head] = field(default_factory=dict)
    meters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table of the floor. `number` counts the tables of its game from 0, `of` has them all."""

    id: str
    rulebook: str
    number: int
    of: int
    meter: str | None = None


def tables_of(order: Order, floor: Floor) -> list[TableSpec]:
    """The tables in order: the games take turns, so that every size of floor has all of them."""
    if order.rulebook is not None and order.rulebook not in floor.games:
        known = ", ".join(floor.games)
        raise EvenhandError(f"rulebook: expected one of {known}, found {order.rulebook!r}")
    rulebooks = [order.rulebook] if order.rulebook else list(floor.games)
    out = []
    for n in range(order.tables):
        rulebook, number = rulebooks[n % len(rulebooks)], n // len(rulebooks)
        meter = None
        if rulebook == POKER:
            group = number // floor.jackpot.tables_per_meter + 1
            meter = f"{floor.jackpot.name}-{group}"
        out.append(
            TableSpec(
                id=f"{floor.games[rulebook].prefix}-{number + 1:02d}",
                rulebook=rulebook,
                number=number,
                of=len(range(n % len(rulebooks), order.tables, len(rulebooks))),
                meter=meter,
            )
        )
    return out


def units_of(tables: list[TableSpec]) -> list[tuple[TableSpec, ...]]:
    """What is simulated together: a table by itself, or all tables of one meter.

    A meter's readings depend on every table linked to it, in order of time. Keeping a link in one
    process is what makes them independent of the number of processes.
    """
    units: dict[str, list[TableSpec]] = {}
    for table in tables:
        units.setdefault(table.meter or table.id, []).append(table)
    return [tuple(unit) for unit in units.values()]


def micros(moment: datetime) -> int:
    """Microseconds since the epoch, exactly."""
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
