"""What a progressive meter must show at each reading, given the bets and wins before it.

Tables have clocks of their own and the system takes a moment, so a bet of another table that was
closed within some seconds of a reading may be in it or not; a bet of the same table never is in
doubt. Everything else must fit to the cent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import NamedTuple

from events.settings import Jackpot

LEEWAY_US = 10_000_000
_TO_LEARN_FROM = 9
"""So many readings tell where a meter stood at the start of a day, if one of them is wrong too."""


class Closed(NamedTuple):
    """Accepted bets of one round, at the moment at which its bets were closed."""

    at_us: int
    table: str
    bets: int


class Reading(NamedTuple):
    at_us: int
    table: str
    cents: int
    seq: int
    round: str


class Wrong(NamedTuple):
    """A reading that does not fit, and what it should have been."""

    reading: Reading
    expected_cents: int


@dataclass(frozen=True, slots=True)
class _Epoch:
    """From one major win to the next; `base` is None while the day's start is not known."""

    from_us: int
    base_cents: int | None


class Meter:
    """One jackpot's day."""

    def __init__(
        self,
        jackpot: Jackpot,
        closed: Sequence[Closed],
        wins_us: Sequence[int],
        start_cents: int | None,
    ) -> None:
        self._growth = jackpot.growth_cents
        self._all = _Tally(closed)
        self._own: dict[str, _Tally] = {}
        for table in {c.table for c in closed}:
            self._own[table] = _Tally([c for c in closed if c.table == table])
        self._epochs = [_Epoch(-(1 << 62), start_cents)]
        self._epochs += [_Epoch(at_us, jackpot.reset_cents) for at_us in sorted(wins_us)]

    def wrong(self, readings: Sequence[Reading]) -> list[Wrong]:
        """The readings that do not fit, each slip or jump once.

        A reading that is off is a slip if the next is right again, and a jump that stays if the
        next is off by the same; then the meter goes on from there.
        """
        readings = sorted(readings)
        self._learn(readings)
        out, off, shift, epoch = [], 0, 0, self._epochs[0]
        for reading in readings:
            current = self._epoch_at(reading.at_us)
            if current is not epoch:
                epoch, shift, off = current, 0, 0
            if self._fits(reading, shift):
                off = 0
                continue
            if off and self._fits(reading, shift + off):
                shift, off = shift + off, 0
                continue
            expected = self._exact(epoch, reading) + shift
            off = reading.cents - expected
            out.append(Wrong(reading, expected))
        return out

    def _learn(self, readings: Sequence[Reading]) -> None:
        """Where the meter stood at the start, from the first readings."""
        first = self._epochs[0]
        early = [r for r in readings if self._epoch_at(r.at_us) is first][:_TO_LEARN_FROM]
        if first.base_cents is None and early:
            bases = [r.cents - self._growth * self._bets(first, r, 0) for r in early]
            self._epochs[0] = _Epoch(first.from_us, median_low(bases))

    def _epoch_at(self, at_us: int) -> _Epoch:
        return [e for e in self._epochs if e.from_us <= at_us][-1]

    def _fits(self, reading: Reading, shift: int) -> bool:
        """Whether any order of what happened within the leeway gives the reading."""
        for n, epoch in enumerate(self._epochs):
            after = self._epochs[n + 1].from_us if n + 1 < len(self._epochs) else 1 << 62
            if not epoch.from_us - LEEWAY_US <= reading.at_us <= after + LEEWAY_US:
                continue
            more = reading.cents - (epoch.base_cents or 0) - shift
            least = self._bets(epoch, reading, -LEEWAY_US)
            most = self._bets(epoch, reading, LEEWAY_US)
            if self._growth * least <= more <= self._growth * most and (
                not self._growth or more % self._growth == 0
            ):
                return True
        return False

    def _bets(self, epoch: _Epoch, reading: Reading, leeway_us: int) -> int:
        """The bets since the epoch began that are in a reading."""
        others = self._all.between(epoch.from_us - leeway_us, reading.at_us + leeway_us)
        own = self._own.get(reading.table)
        if own is None or not leeway_us:
            return others
        others -= own.between(epoch.from_us - leeway_us, reading.at_us + leeway_us)
        return max(0, others) + own.between(epoch.from_us, reading.at_us)

    def _exact(self, epoch: _Epoch, reading: Reading) -> int:
        return (epoch.base_cents or 0) + self._growth * self._bets(epoch, reading, 0)

    def at_end(self) -> int | None:
        """Where the meter stands when everything of the day has happened."""
        epoch = self._epochs[-1]
        if epoch.base_cents is None:
            return None
        return epoch.base_cents + self._growth * self._all.between(epoch.from_us, 1 << 62)


class _Tally:
    """Bets by time, so that any stretch is counted at once."""

    def __init__(self, closed: Sequence[Closed]) -> None:
        ordered = sorted(closed)
        self._times = [c.at_us for c in ordered]
        self._sums = [0]
        for c in ordered:
            self._sums.append(self._sums[-1] + c.bets)

    def between(self, after_us: int, until_us: int) -> int:
        if until_us < after_us:
            return 0
        first = bisect_right(self._times, after_us)
        return self._sums[bisect_right(self._times, until_us)] - self._sums[first]


def falls(readings: Sequence[Reading], wins_us: Sequence[int]) -> list[Wrong]:
    """For a meter that the house has not configured: readings lower than one well before them,
    without a win in between."""
    out: list[Wrong] = []
    wins = sorted(wins_us)
    good: list[Reading] = []
    for reading in sorted(readings):
        won = [at_us for at_us in wins if at_us - LEEWAY_US <= reading.at_us]
        since = won[-1] + LEEWAY_US if won else -(1 << 62)
        before = [r for r in good[-20:] if since < r.at_us <= reading.at_us - LEEWAY_US]
        highest = max((r.cents for r in before), default=0)
        if reading.cents < highest:
            out.append(Wrong(reading, highest))
        else:
            good.append(reading)
    return out
