"""A table-day replayed twice: as it is settled, and as it would be.

Pure: columns in, changed rounds out. The warehouse is not read and not touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from checks.around import NOTHING, Around
from checks.audit import audit
from checks.context import RoundContext
from checks.in_day import DayContexts
from pipelines.investigate.case import Difference, differences
from replay.answer import Answer
from replay.columns import rounds_of
from replay.facts import Round


@dataclass(frozen=True, slots=True)
class Change:
    """What is tried: another rulebook for the rounds of a kind of game, or readings turned."""

    usual: frozenset[str]
    turned: frozenset[str]
    book_id: str | None = None
    main_bet: str | None = None  # only rounds with this main bet, where a rulebook is tried
    only: str | None = None  # only rounds of this rulebook
    draft: Path | None = None  # where the rulebook lies that is tried, if it is no approved one

    def concerns(self, round_: Round) -> bool:
        if self.only is not None and round_.rulebook != self.only:
            return False
        return self.book_id is None or self.main_bet in round_.limits


@dataclass(frozen=True, slots=True)
class Changed:
    """A round that would have come out otherwise."""

    day: date
    table: str
    round: str
    rulebook: str
    before: str  # status
    after: str
    lines: tuple[Difference, ...]

    @property
    def money(self) -> int:
        return sum(line.money for line in self.lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "day": self.day.isoformat(),
            "table": self.table,
            "round": self.round,
            "rulebook": self.rulebook,
            "status_before": self.before,
            "status_after": self.after,
            "money": self.money,
            "lines": [line.to_json() for line in self.lines],
        }


@dataclass(frozen=True, slots=True)
class WhatIfDay:
    """One table-day: how many rounds were looked at, and those that would change."""

    day: date
    table: str
    rounds: int
    changed: tuple[Changed, ...]


def try_table_day(
    day: date, table: str, events: pa.Table, change: Change, around: Around = NOTHING
) -> WhatIfDay:
    """Every round of one table on one day under the change, in the context that the night gives
    it."""
    contexts = DayContexts(day, events, around)
    looked, out = 0, []
    for round_ in rounds_of(contexts.events):
        if round_.rulebook is None or not change.concerns(round_):
            continue
        looked += 1
        context = contexts.of(round_)
        before = audit(round_, context, change.usual)
        after = _after(round_, context, before, change)
        if after is None:
            continue
        # a round that nobody can replay one way or the other has no price: it is named, no more
        priced = "unreplayable" not in (before.status, after.status)
        found = differences(before, after) if priced else []
        if found or before.status != after.status:
            status = (before.status, after.status)
            out.append(Changed(day, table, round_.id, round_.rulebook, *status, tuple(found)))
    return WhatIfDay(day, table, looked, tuple(out))


def _after(round_: Round, context: RoundContext, before: Answer, change: Change) -> Answer | None:
    """The round under the change; None where it cannot make a difference.

    The replay already tried each reading that it came across. One that it did not come across, or
    that changed nothing, needs no second look.
    """
    moved = change.usual ^ change.turned
    if change.book_id is None and len(moved) == 1 and not moved & before.turned.keys():
        return None
    return audit(round_, context, change.turned, book_id=change.book_id)
