"""What comes of looking at one expectation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failing:
    """A row that failed: its table and round, and what tells it from other rows."""

    table_id: str | None
    round: str | None
    key: str


@dataclass(frozen=True, slots=True)
class QualityResult:
    """One expectation on one table of the warehouse.

    failing: the first rows that failed, each with table and round where it has one.
    rounds: every round that has such a row, once. nameless: how many rows name no round.
    seconds: a suite is asked and answered as a whole; its time is shared out evenly.
    error: set where the expectation itself could not be evaluated; it counts as failed.
    severity: `critical`, or `warning` where a finding of the audit says the same already.
    """

    suite: str
    expectation: str
    table: str
    success: bool
    observed: str
    unexpected_count: int
    failing: tuple[Failing, ...]
    seconds: float
    error: str | None = None
    severity: str = "critical"
    rounds: tuple[Failing, ...] = ()
    nameless: int = 0
