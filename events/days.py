"""The gaming day: which day a moment belongs to, and when a day begins and ends.

A casino's day does not turn at midnight but in the small hours, when the floor is quiet. Every
time in the log is UTC; only this file knows about the house's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from events.errors import EvenhandError

SINGAPORE = ZoneInfo("Asia/Singapore")
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class GamingDay:
    """How a house counts its days: the local hour at which one turns into the next."""

    start: time = time(6)
    zone: ZoneInfo = SINGAPORE

    def start_of(self, day: date) -> datetime:
        """The first moment of a gaming day, in UTC."""
        return datetime.combine(day, self.start, self.zone).astimezone(UTC)

    def end_of(self, day: date) -> datetime:
        """The first moment after a gaming day, in UTC; the next day begins there."""
        return self.start_of(day + _ONE_DAY)

    def day_of(self, at: datetime) -> date:
        """The gaming day that a moment belongs to."""
        if at.tzinfo is None:
            raise ValueError(f"expected a time with its zone, found {at.isoformat()}")
        local = at.astimezone(self.zone)
        day = local.date()
        if local.time() < self.start:
            day -= _ONE_DAY
        # a clock that is put forward or back near the start shifts the answer by one
        while at < self.start_of(day):
            day -= _ONE_DAY
        while at >= self.end_of(day):
            day += _ONE_DAY
        return day


def parse_day(text: str) -> date:
    """A day as people write it on a command line, `2026-11-15`, or one clear sentence."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise EvenhandError(f"day: expected a date like 2026-11-15, found {text!r}")
    return day
