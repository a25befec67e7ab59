"""What is special about a table's next round: a planted fault, an irregularity, a rare hand.

Faults and irregularities come at their rate and take turns, so that all of them occur; each table
begins its turn elsewhere. One that finds no opportunity in its round waits for the next one.
"""

from __future__ import annotations

from random import Random
from typing import Generic, TypeVar

from events.devices.faults import FAULTS
from events.devices.faults.record import Miscount, RecordFault
from events.devices.floor import Floor
from events.devices.plan import POKER, Order, TableSpec
from events.devices.poker.play import PokerRound
from events.devices.script import Round
from events.devices.staged import STAGED
from events.devices.trouble import TROUBLE
from events.devices.twentyone.play import TwentyOneRound

PATIENCE = 200  # rounds that an occasion waits for its opportunity before the next has its turn

T = TypeVar("T")


class Turns(Generic[T]):
    """A list that is gone through again and again, one entry at a time, at a rate."""

    def __init__(self, entries: tuple[T, ...], first: int, rate: float, rng: Random) -> None:
        self._entries = entries
        self._at = first
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

    def done(self, *, used: bool) -> None:
        """The entry had its round; one that was not used keeps its turn for a while."""
        self._tried += 1
        if used:
            self._waiting -= 1
        if used or self._tried >= PATIENCE:
            self._at += 1
            self._tried = 0


class Occasions:
    """The special rounds of one table."""

    def __init__(self, spec: TableSpec, order: Order, floor: Floor, rng: Random) -> None:
        self._plain: type[Round] = PokerRound if spec.rulebook == POKER else TwentyOneRound
        own = Random(f"{order.seed}/{order.day.isoformat()}/{spec.id}/occasions")
        faults, trouble = FAULTS[spec.rulebook], TROUBLE[spec.rulebook]
        self._faults = Turns(faults, spec.number * 7, order.faults, own)
        self._trouble = Turns(trouble, spec.number * 5, order.irregularities, own)
        self._staged = STAGED[spec.rulebook]
        self._every = floor.day.staged_every
        self._first_staged = spec.number * 3
        self._rng = rng
        self._fault: type[Round] | RecordFault | Miscount | None = None
        self._troubled = False

    def next_kind(self, rounds: int) -> type[Round]:
        """The kind of round to play after this many."""
        self._fault = self._faults.due()
        self._troubled = False
        if isinstance(self._fault, type):
            return self._fault
        if self._fault is not None:
            return self._plain
        trouble = self._trouble.due()
        if trouble is not None:
            self._troubled = True
            return trouble
        if self._staged and self._every and rounds % self._every == self._every // 2:
            turn = self._first_staged + rounds // self._every
            return self._staged[turn % len(self._staged)]
        return self._plain

    def damage(self) -> RecordFault | None:
        """The damage to do to this round's record, if it is one's turn."""
        return self._fault if isinstance(self._fault, RecordFault) else None

    def played(self, played: Round, *, planted: bool) -> None:
        """The round is over: did what was meant to happen happen?"""
        if self._fault is not None and not isinstance(self._fault, Miscount):
            self._faults.done(used=planted)
        if self._troubled:
            self._trouble.done(used=played.happened)

    def miscount(self, left: int) -> int:
        """By how many cards the count of an ended shoe is off: none, but for a fault."""
        if not isinstance(self._fault, Miscount):
            return 0
        self._faults.done(used=True)
        self._fault = None
        return 1 if left == 0 or self._rng.random() < 0.5 else -1
