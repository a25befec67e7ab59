"""What a progressive meter must show at each reading, given the bets and wins before it.

Tables have clocks of their own and a bet takes a moment to reach the meter, so a bet of another
table that was closed within half a second of a reading may be in it or not; a bet of the same table
never is in doubt. Everything else must fit to the cent.

All readings of a day are held against all bets at once, as arrays: a casino-day has some hundred
thousand of each. Only where one does not fit, readings are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, NamedTuple

import numpy as np

from events.settings import Jackpot

LEEWAY_US = 500_000
"""How far two tables may differ about what came first. Devices keep their clocks by NTP, which
sets a clock anew once it is off by 128 ms; so two of them are within 256 ms of each other. About as
much again is for a closed bet on its way to the meter and for the reading on its way back."""
_TO_LEARN_FROM = 9
"""So many readings tell where a meter stood at the start of a day, if one of them is wrong too."""
_TO_TELL_FROM = 5
"""So many readings after one that is off tell whether the meter stays there."""
_MOST_WRONG = 200
"""A meter with more wrong readings a day is not wrong here and there: nothing about it fits."""
_AT_ONCE = 4096
NEVER_US = 1 << 62
_ANY = 1 << 40


@dataclass(frozen=True, slots=True)
class Amounts:
    """Readings in cents, or bets as their number: arrays of one length, in order of time."""

    at_us: Any
    table: Any  # a number for each table
    amount: Any

    def of(self, table: int) -> Amounts:
        own = self.table == table
        return Amounts(self.at_us[own], self.table[own], self.amount[own])


NOTHING = Amounts(*(np.empty(0, dtype=np.int64) for _ in range(3)))


class WrongReading(NamedTuple):
    """A reading that does not fit, by its place, and what it should have been."""

    place: int
    expected_cents: int


class Win(NamedTuple):
    """When the meter was paid out, and at which table."""

    at_us: int
    table: int


class _Tally:
    """Bets by time, so that any stretches are counted at once."""

    def __init__(self, bets: Amounts) -> None:
        self._times = bets.at_us
        self._sums = np.r_[0, np.cumsum(bets.amount, dtype=np.int64)]

    def until(self, at_us: Any) -> Any:
        return self._sums[np.searchsorted(self._times, at_us, side="right")]

    def between(self, after_us: Any, until_us: Any) -> Any:
        return np.where(until_us < after_us, 0, self.until(until_us) - self.until(after_us))


@dataclass(slots=True)
class _Epoch:
    """From one major win to the next; `base` is None while the day's start is not known."""

    from_us: int
    until_us: int
    table: int  # where it was won
    base_cents: int | None
    shift_cents: int = 0  # by which the meter has jumped since
    lost: int = 0  # bets that must have been among missing events


class Meter:
    """One jackpot's day.

    bets: how many progressive bets were accepted, and when.
    wins: when it was paid out.
    start_cents: where it stood before all of these; None where nobody knows.
    missing: how many events are missing before a moment: bets may be among them.
    until_us: the end of the day. The last rounds run over it, and then other tables' bets of the
        next day are in their readings as well.
    """

    def __init__(
        self,
        jackpot: Jackpot,
        bets: Amounts,
        wins: Sequence[Win],
        start_cents: int | None = None,
        missing: Amounts = NOTHING,
        until_us: int = NEVER_US,
    ) -> None:
        self._growth = jackpot.growth_cents
        self._missing = _Tally(missing)
        self._until_us = until_us
        self.lost_track = False  # so many readings were wrong that the rest was not looked at
        self._all = _Tally(bets)
        self._own = {t: _Tally(bets.of(t)) for t in np.unique(bets.table).tolist()}
        wins = sorted(wins)
        ends = [*(win.at_us for win in wins), NEVER_US]
        self._epochs = [_Epoch(-NEVER_US, ends[0], -1, start_cents)]
        for win, end in zip(wins, ends[1:], strict=True):
            self._epochs.append(_Epoch(win.at_us, end, win.table, jackpot.reset_cents))

    @property
    def lost_bets(self) -> int:
        """How many bets that nobody could place have shown themselves in readings."""
        return sum(epoch.lost for epoch in self._epochs)

    def wrong(self, readings: Amounts) -> list[WrongReading]:
        """The readings that do not fit, each slip or jump once, until there are too many."""
        out: list[WrongReading] = []
        starts = [epoch.from_us for epoch in self._epochs]
        of_epoch = np.searchsorted(starts, readings.at_us, side="right") - 1
        for number, epoch in enumerate(self._epochs):
            places = np.flatnonzero(of_epoch == number)
            if len(places):
                self._learn(epoch, readings, places[:_TO_LEARN_FROM])
                self._walk(number, readings, places, out)
            if len(out) >= _MOST_WRONG:
                self.lost_track = True
                break
        return out

    def _learn(self, epoch: _Epoch, readings: Amounts, places: Any) -> None:
        """Where the meter stood at the start, from the first readings."""
        if epoch.base_cents is None:
            _, bets, _ = self._bets(epoch, readings, places)
            epoch.base_cents = median_low((readings.amount[places] - self._growth * bets).tolist())

    def _walk(self, number: int, readings: Amounts, places: Any, out: list[WrongReading]) -> None:
        """A reading that is off is a jump if most of the next are off by the same, and then the
        meter goes on from there; else it is a slip."""
        epoch = self._epochs[number]
        more = _More(self._growth, self._bets(epoch, readings, places))
        shown = readings.amount[places] - (epoch.base_cents or 0)
        at = 0
        while at < len(places) and len(out) < _MOST_WRONG:
            fits = more.fits(shown[at : at + _AT_ONCE] - epoch.shift_cents, at)
            if np.all(fits):
                at += len(fits)
                continue
            at += int(np.argmin(fits))
            expected = epoch.shift_cents + int(more.exact[at])
            off = int(shown[at]) - expected
            if self._fits_beside(number, readings, places[at : at + 1]):
                pass
            elif self._explained(epoch, int(readings.at_us[places[at]]), off):
                epoch.shift_cents += off
            else:
                out.append(WrongReading(int(places[at]), (epoch.base_cents or 0) + expected))
                following = shown[at + 1 : at + 1 + _TO_TELL_FROM] - epoch.shift_cents
                back, stays = (more.fits(following - by, at + 1).sum() for by in (0, off))
                epoch.shift_cents += off if stays > back else 0
            at += 1

    def _explained(self, epoch: _Epoch, at_us: int, off_cents: int) -> bool:
        """Whether bets among the events that are missing may be what a reading is off by."""
        if not self._growth or off_cents % self._growth:
            return False
        bets = abs(off_cents // self._growth)
        lost = int(self._missing.between(epoch.from_us - LEEWAY_US, at_us + LEEWAY_US))
        if bets > lost - epoch.lost:
            return False
        epoch.lost += bets
        return True

    def _fits_beside(self, number: int, readings: Amounts, place: Any) -> bool:
        """Whether a reading close to a win fits what was before it, or after it."""
        at_us = readings.at_us[place][0]
        for other in (number - 1, number + 1):
            if not 0 <= other < len(self._epochs):
                continue
            epoch = self._epochs[other]
            if not epoch.from_us - LEEWAY_US <= at_us <= epoch.until_us + LEEWAY_US:
                continue
            more = _More(self._growth, self._bets(epoch, readings, place))
            shown = readings.amount[place] - (epoch.base_cents or 0) - epoch.shift_cents
            if more.fits(shown, 0)[0]:
                return True
        return False

    def _bets(self, epoch: _Epoch, readings: Amounts, places: Any) -> tuple[Any, Any, Any]:
        """The bets since the epoch began that are in readings: at least, by the clocks, at most."""
        at_us, tables = readings.at_us[places], readings.table[places]
        start = epoch.from_us
        exact = self._all.between(start, at_us)
        least = self._all.between(start + LEEWAY_US, at_us - LEEWAY_US - 1)
        most = self._all.between(start - LEEWAY_US, at_us + LEEWAY_US)
        for table in np.unique(tables).tolist():
            own = self._own.get(table)
            if own is None:
                continue
            mine = tables == table
            at = at_us[mine]
            # a win at the table itself is on its own clock
            doubt = 0 if table == epoch.table else LEEWAY_US
            least[mine] += own.between(start + doubt, at)
            least[mine] -= own.between(start + LEEWAY_US, at - LEEWAY_US - 1)
            most[mine] += own.between(start - doubt, at)
            most[mine] -= own.between(start - LEEWAY_US, at + LEEWAY_US)
        most[at_us > self._until_us - LEEWAY_US] = _ANY
        return least, exact, most

    def stands(self, at_us: int = NEVER_US - 1) -> int | None:
        """Where the meter stands at a moment, or when everything of the day has happened."""
        epoch = next(e for e in self._epochs if e.from_us <= at_us < e.until_us)
        if epoch.base_cents is None:
            return None
        bets = int(self._all.between(epoch.from_us, at_us))
        return epoch.base_cents + epoch.shift_cents + self._growth * bets

    def shown(self, after_us: int, until_us: int) -> range:
        """What the meter showed between two moments without a win in between."""
        least = self.stands(after_us) or 0
        bets = int(self._all.between(after_us, until_us + LEEWAY_US))
        return range(least, least + self._growth * bets + 1, self._growth or 1)


class _More:
    """By how much a meter may have grown at each of some readings."""

    def __init__(self, growth: int, bets: tuple[Any, Any, Any]) -> None:
        self._growth = growth
        self._least, self.exact, self._most = (growth * some for some in bets)

    def fits(self, more: Any, first: int) -> Any:
        """Whether any order of what happened within the leeway gives these amounts, the first of
        which belongs to the `first` reading."""
        part = slice(first, first + len(more))
        within = (self._least[part] <= more) & (more <= self._most[part])
        return within & (more % self._growth == 0) if self._growth else within


def falls(readings: Amounts, wins: Sequence[Win]) -> list[WrongReading]:
    """For a meter that the house has not configured: readings lower than the one well before them,
    without a win in between."""
    at_us, cents = readings.at_us, readings.amount
    before = np.searchsorted(at_us, at_us - LEEWAY_US, side="right") - 1
    wins_us = np.sort(np.array([win.at_us for win in wins], dtype=np.int64))
    won = np.searchsorted(wins_us, at_us + LEEWAY_US, side="right") - np.searchsorted(
        wins_us, at_us[before] - LEEWAY_US, side="left"
    )
    fell = np.flatnonzero((before >= 0) & (cents < cents[before]) & (won == 0))
    out: list[WrongReading] = []
    for place in fell.tolist():
        if out and at_us[place] - at_us[out[-1].place] < LEEWAY_US:
            continue  # the same fall, seen by another table
        out.append(WrongReading(place, int(cents[before[place]])))
    return out
