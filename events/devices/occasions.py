"""What is special about a table's next round: a planted fault, an irregularity, a rare hand.

Faults and irregularities come at their rate and take turns, so that all of them occur; the tables
of a game share the turns out among them. One that finds no opportunity in its round waits for the
next.
"""

from __future__ import annotations

from random import Random
from typing import Generic, TypeVar

from events.devices.faults import FAULTS, Fault
from events.devices.faults.record import Miscount, RecordFault
from events.devices.plan import POKER, Order, TableSpec
from events.devices.poker.play import PokerRound
from events.devices.script import SimulatedRound, SimulatedTable
from events.devices.staged import STAGED
from events.devices.trouble import TROUBLE
from events.devices.twentyone.play import TwentyOneRound

PATIENCE = 200  # rounds that a rare hand waits for its opportunity before it is given up

T = TypeVar("T")


class Turns(Generic[T]):
    """A list that is gone through again and again, one entry at a time, at a rate."""

    def __init__(self, entries: tuple[T, ...], spec: TableSpec, rate: float, rng: Random) -> None:
        self._entries = entries
        # the tables of a game begin at different entries, spread evenly over the list
        self._at = spec.number * len(entries) // spec.of
        self._rate = rate
        self._rng = rng
        self._waiting = 0
        self._tried = 0

    def due(self) -> T | None:
        """The entry whose turn it is, if the rate says so or an earlier one still waits."""
        if not self._entries or self._rate <= 0:
            return None
        if self._rng.random() < self._rate:
            self._waiting += 1
        return self._entries[self._at % len(self._entries)] if self._waiting else None

    def done(self, *, used: bool, patience: int = 0) -> None:
        """The entry had its round; one that was not used keeps its turn for a while."""
        self._tried += 1
        if used:
            self._waiting -= 1
        if used or self._tried >= patience:
            self._at += 1
            self._tried = 0


class Staged:
    """The rare hands that fall to one table: each once, spread over its day."""

    def __init__(
        self, entries: tuple[type[SimulatedRound], ...], spec: TableSpec, every: int
    ) -> None:
        self._left = list(entries[spec.number :: spec.of]) if every else []
        self._every = every
        self._next = every // 2
        self._tried = 0

    def due(self, rounds: int) -> type[SimulatedRound] | None:
        return self._left[0] if self._left and rounds >= self._next else None

    def done(self, rounds: int, *, used: bool) -> None:
        self._tried += 1
        if used or self._tried >= PATIENCE:
            del self._left[0]
            self._tried = 0
            self._next = rounds + self._every


class Occasions:
    """The special rounds of one table."""

    def __init__(self, spec: TableSpec, order: Order, table: SimulatedTable) -> None:
        self.plain: type[SimulatedRound] = PokerRound if spec.rulebook == POKER else TwentyOneRound
        rng = self._rng = Random(f"{order.seed}/{order.day.isoformat()}/{spec.id}/occasions")
        faults = tuple(f for f in FAULTS[spec.rulebook] if f.fits(table))
        trouble = tuple(t for t in TROUBLE[spec.rulebook] if t.fits(table))
        self._faults = Turns(faults, spec, order.faults, rng)
        self._trouble = Turns(trouble, spec, order.irregularities, rng)
        self._staged = Staged(STAGED[spec.rulebook], spec, table.floor.day.staged_every)
        self._fault: Fault | None = None
        self._what = "plain"
        self.last_had_one = False

    def next_kind(self, rounds: int) -> type[SimulatedRound]:
        """The kind of round to play after this many."""
        self._fault = self._faults.due()
        if self._fault is not None:
            self._what = "fault"
            return self._fault if isinstance(self._fault, type) else self.plain
        for what, kind in (("trouble", self._trouble.due()), ("staged", self._staged.due(rounds))):
            if kind is not None:
                self._what = what
                return kind
        self._what = "plain"
        return self.plain

    def damage(self) -> RecordFault | None:
        """The damage to do to this round's record, if it is one's turn."""
        return self._fault if isinstance(self._fault, RecordFault) else None

    def played(self, played: SimulatedRound, rounds: int, *, planted: bool) -> None:
        """The round is over: did what was meant to happen happen?"""
        self.last_had_one = planted
        if self._what == "fault" and not isinstance(self._fault, Miscount):
            self._faults.done(used=planted, patience=played.patience)
        elif self._what == "trouble":
            self._trouble.done(used=played.happened, patience=played.patience)
        elif self._what == "staged":
            self._staged.done(rounds, used=played.happened)

    def miscount(self, left: int) -> int:
        """By how many cards the count of an ended shoe is off: none, but for a fault.

        Never after a round that has a fault of its own.
        """
        if not isinstance(self._fault, Miscount) or self.last_had_one:
            return 0
        self._faults.done(used=True)
        self._fault = None
        return 1 if left == 0 or self._rng.random() < 0.5 else -1
