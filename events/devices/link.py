"""What is simulated together: one table, or the tables that share a progressive meter.

A meter adds its growth for every progressive bet the moment its round's bets are closed, is read
a moment later, and starts again when it is won. Which readings a table sees depends on what the
others did before, so the tables of a link take their steps in order of time.
"""

from __future__ import annotations

import heapq
from collections import Counter
from random import Random
from typing import Any

from events.chain import Head
from events.devices.floor import Floor
from events.devices.plan import Before, Order, TableSpec
from events.devices.poker.play import PokerRound
from events.devices.table import SimulatedDay

Chunk = list[tuple[str, list[bytes], list[tuple[int, int]]]]
"""By table: messages, and how many of them had arrived by when (in microseconds)."""


class SimulatedMeter:
    """A progressive meter."""

    def __init__(self, name: str, order: Order, floor: Floor, start_cents: int | None) -> None:
        jackpot = floor.jackpot
        house = {n: (reset, growth) for n, reset, growth in order.jackpots}
        default = (jackpot.reset_cents, jackpot.growth_cents)
        self.reset_cents, self.growth_cents = house.get(name, default)
        if start_cents is not None:
            self.cents = max(start_cents, self.reset_cents)
            return
        low, high = jackpot.starts_between
        # a whole number of bets above the reset value, as if it had grown since the last win
        bets = Random(f"{order.seed}/{order.day.isoformat()}/{name}").randrange(
            max(0, low - self.reset_cents), high - self.reset_cents + 1
        ) // max(1, self.growth_cents)
        self.cents = self.reset_cents + bets * self.growth_cents

    def grow(self, bets: int) -> None:
        self.cents += bets * self.growth_cents

    def win(self) -> None:
        self.cents = self.reset_cents


class Unit:
    """One table, or one link of tables, for one day."""

    def __init__(
        self, specs: tuple[TableSpec, ...], order: Order, floor: Floor, before: Before
    ) -> None:
        self.tables = [SimulatedDay(s, order, floor, before.heads.get(s.id, Head())) for s in specs]
        name = specs[0].meter
        self._meter = SimulatedMeter(name, order, floor, before.meters.get(name)) if name else None
        self._counter = 0
        # time, a number that keeps ties in order, what, who
        self._agenda: list[tuple[int, int, str, Any]] = []
        if self._meter:
            for table in self.tables:
                self._push(table.now_us, "open", table)

    def until(self, moment_us: int) -> None:
        """Play everything that begins before this moment."""
        if self._meter is None:
            for table in self.tables:
                table.until(moment_us)
            return
        while self._agenda and self._agenda[0][0] < moment_us:
            at_us, _, what, who = heapq.heappop(self._agenda)
            self._take(self._meter, at_us, what, who)

    def _take(self, meter: SimulatedMeter, at_us: int, what: str, who: Any) -> None:
        """One step of one table, when everything that was earlier has happened."""
        if what == "win":
            meter.win()
        elif what == "open":
            self._open(who)
        elif what == "close":
            table, played, bets = who
            meter.grow(bets)
            self._push(played.read_meter(), "read", (table, played))
        else:
            table, played = who
            played.show_meter(meter.cents)
            played.finish()
            if played.jackpot_won_us is not None:
                self._push(played.jackpot_won_us, "win", None)
            table.finish(played)
            self._push(table.now_us, "open", table)

    def _open(self, table: SimulatedDay) -> None:
        if table.over:
            table.close()
            return
        played = table.next_round()
        if not isinstance(played, PokerRound):
            raise TypeError(f"{table.spec.id}: expected a round with a meter")
        bets = played.open_and_bet()
        self._push(played.now_us, "close", (table, played, bets))

    def _push(self, at_us: int, what: str, who: Any) -> None:
        self._counter += 1
        heapq.heappush(self._agenda, (at_us, self._counter, what, who))

    # what came of it

    @property
    def rounds(self) -> int:
        return sum(table.rounds for table in self.tables)

    def take_sent(self) -> Chunk:
        """The messages since last time, by table."""
        out = []
        for table in self.tables:
            if table.sent:
                out.append((table.spec.id, table.sent, table.arrivals))
                table.sent, table.arrivals = [], []
        return out

    def take_truths(self) -> list[dict[str, Any]]:
        """The planted faults since last time."""
        out = []
        for table in self.tables:
            out += table.truths
            table.truths = []
        return out

    def lost_ends(self) -> dict[str, Head]:
        """Ends of chains that somebody knows and the log does not have."""
        return {t.spec.id: t.lost_end for t in self.tables if t.lost_end is not None}

    def tallies(self) -> dict[str, Counter[str]]:
        """What occurred, by rulebook."""
        out: dict[str, Counter[str]] = {}
        for table in self.tables:
            out.setdefault(table.spec.rulebook, Counter()).update(table.table.tally)
        return out
