"""Readings: places where a text allows more than one.

The replay follows the default and asks `Readings.other(id)` exactly where the question arises; the
engine notes which ids were asked, turns each in turn, and marks the lines that change. A reading is
declared beside the clauses that it reads, in the folder of its rulebook; here stand those that games
of both families share. `replay.registry` has the register of all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Reading(NamedTuple):
    """One question that a text leaves open, and the two answers."""

    id: str
    question: str
    default: str
    other: str
    clauses: tuple[str, ...] = ()  # of the rulebook that lists it

    def at(self, *clauses: str) -> Reading:
        """This reading as one rulebook has it: at these of its clauses."""
        return self._replace(clauses=clauses)


OUTCOME_ESTABLISHED = Reading(
    id="outcome-established",
    question="5.7 while cards lie face down; 5.4 after a surrender, or with one card that decides Under 13",
    default="only what has been turned over or folded counts; neither a surrender nor a single card establishes an outcome",
    other="cards dealt are enough; they do",
)
LATE_BET = Reading(
    id="late-bet",
    question="Late chips that were let through",
    default="they go back",
    other="settled as accepted",
)
LATE_WITHDRAWAL = Reading(
    id="late-withdrawal",
    question="Chips withdrawn after the close (Plus and Blackjack 5.8, 5.14, MBS 5.4, 3 Card Poker 5.11, 5.20, Pandemonium 5.2)",
    default="the bet counts as it lay at the close",
    other="at Pandemonium, whose text names no consequence: as accepted",
)
OVER_LIMIT_AND_LATER_BETS = Reading(
    id="over-limit-and-later-bets",
    question="Double, split, insurance, super bonus row and Ante Bonus on a bet that counts only in part",
    default="by the amount that counts",
    other="by the amount placed",
)


class Readings:
    """Which readings are turned to the other one, and which were asked while settling."""

    __slots__ = ("asked", "turned")

    def __init__(self, turned: Iterable[str] = ()) -> None:
        self.turned = frozenset(turned)
        self.asked: set[str] = set()

    def other(self, reading: str) -> bool:
        """True where the other reading is to be followed. Asked only where the question arises."""
        self.asked.add(reading)
        return reading in self.turned

    def either(self, reading: str, default: bool, other: bool) -> bool:
        """A reading that changes no line: what either of the two allows is no breach."""
        return default or other
