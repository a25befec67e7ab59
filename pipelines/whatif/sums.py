"""What would have been otherwise, in figures: each table-day's, and those of a period.

Figures of table-days are added up, rounds never are; so a worker sums what it replays, and what
travels does not grow with what changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pipelines.night.currencies import Currencies
from pipelines.whatif.replay import Changed, WhatIfDay


@dataclass(slots=True)
class Sum:
    """Rounds, lines and money of one table or one clause."""

    rounds: int = 0
    lines: int = 0
    more: int = 0  # what players would get more
    less: int = 0  # what they would get less

    def add_line(self, money: int) -> None:
        self.lines += 1
        self.more += max(money, 0)
        self.less += max(-money, 0)

    def add(self, other: Sum) -> None:
        self.rounds += other.rounds
        self.lines += other.lines
        self.more += other.more
        self.less += other.less

    @property
    def money(self) -> int:
        return self.more - self.less

    def to_json(self) -> dict[str, int]:
        return {
            "rounds": self.rounds,
            "lines": self.lines,
            "more": self.more,
            "less": self.less,
            "money": self.money,
        }


@dataclass(slots=True)
class Sums:
    """Some table-days in figures. A round that only has another status counts among `changed` and
    in no sum: it has no price."""

    rounds: int = 0
    changed: int = 0
    books: set[str] = field(default_factory=set)
    currencies: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Sum] = field(default_factory=dict)
    clauses: dict[tuple[str, str, str], Sum] = field(default_factory=dict)
    """By table, rulebook and the clause that decides the line now."""

    def add(self, other: Sums) -> None:
        self.rounds += other.rounds
        self.changed += other.changed
        self.books |= other.books
        self.currencies |= other.currencies
        for table, one in other.tables.items():
            self.tables.setdefault(table, Sum()).add(one)
        for key, one in other.clauses.items():
            self.clauses.setdefault(key, Sum()).add(one)

    def add_day(self, unit: WhatIfDay) -> None:
        """A table-day, as its rounds came out."""
        self.rounds += unit.rounds
        self.changed += len(unit.changed)
        for changed in unit.changed:
            self.books.add(changed.rulebook)
            self._add_round(changed)

    def _add_round(self, changed: Changed) -> None:
        table = self.tables.setdefault(changed.table, Sum()) if changed.lines else Sum()
        table.rounds += 1
        decided: dict[str, Sum] = {}
        for line in changed.lines:
            decides = line.before or line.after
            clause = decides.clauses[0] if decides is not None else ""
            table.add_line(line.money)
            decided.setdefault(clause, Sum(rounds=1)).add_line(line.money)
        for clause, one in decided.items():
            key = (changed.table, changed.rulebook, clause)
            self.clauses.setdefault(key, Sum()).add(one)

    def by_currency(self) -> dict[str, Sum]:
        """Money of several currencies is never added up."""
        return _added((self._currency(table), one) for table, one in self.tables.items())

    def by_table(self) -> dict[tuple[str, str], Sum]:
        """By currency and table."""
        return _added(((self._currency(table), table), one) for table, one in self.tables.items())

    def by_clause(self) -> dict[tuple[str, str, str], Sum]:
        """By currency, rulebook and clause."""
        return _added(
            ((self._currency(table), book, clause), one)
            for (table, book, clause), one in self.clauses.items()
        )

    def _currency(self, table: str) -> str:
        return Currencies(self.currencies).of(table)


def _added(some: Iterable[tuple[Any, Sum]]) -> dict[Any, Sum]:
    out: dict[Any, Sum] = {}
    for key, one in some:
        out.setdefault(key, Sum()).add(one)
    return dict(sorted(out.items()))
