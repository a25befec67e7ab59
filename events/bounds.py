"""What no table can mean (contract, section 1): an amount above its bound is no event of play, and
a time far from its arrival is that of a wrong clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from events.contract import AMOUNTS_OF

AMOUNT_CENTS = 10**12
CLOCK_BEHIND_DAYS = 400
CLOCK_AHEAD_DAYS = 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds in force; the settings name them."""

    amount_cents: int = AMOUNT_CENTS
    clock_behind: timedelta = timedelta(days=CLOCK_BEHIND_DAYS)
    clock_ahead: timedelta = timedelta(days=CLOCK_AHEAD_DAYS)

    def amount_problem(self, event: str, own: Mapping[str, Any]) -> str | None:
        """The amount that is too large, as a sentence, or None. `own` keeps the contract."""
        for name in AMOUNTS_OF[event]:
            value = own[name] if name != "limits" else _highest(own[name])
            if value is not None and value > self.amount_cents:
                return f"{event}, {name}: expected at most {self.amount_cents} cents, found {value}"
        return None

    def times(self, arrived_us: int) -> Times | None:
        """Which times an event may have that arrived then; None where that is no time itself."""
        try:
            arrived = moment_of(arrived_us)
            first, last = arrived - self.clock_behind, arrived + self.clock_ahead
        except OverflowError:
            return None
        return Times(arrived_us, arrived, first, last)


class Times(NamedTuple):
    """An arrival, and the first and the last time that a clock may have shown then."""

    arrived_us: int
    arrived: datetime
    first: datetime
    last: datetime


def micros_of(moment: datetime) -> int:
    """A moment in microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(micros: int) -> datetime:
    """The moment of so many microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)


def _highest(limits: Mapping[str, Mapping[str, int]]) -> int:
    return max(max(limit["min"], limit["max"]) for limit in limits.values())
