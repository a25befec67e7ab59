"""A period replayed under a change, table-day by table-day, on all cores."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from checks.around import Surroundings, ends_of
from events.archive.reader import Archive
from events.contract import did_you_mean
from events.errors import InputError
from events.registry import TableRegistry
from events.runtime.workers import Tell as EngineTell
from pipelines.engines.base import LOCAL, Engine
from pipelines.engines.choose import engine_of
from pipelines.engines.local import LocalEngine
from pipelines.whatif.draft import load_draft
from pipelines.whatif.replay import Change, Changed, WhatIfDay, try_table_day

_SMALL = 8
"""So few table-days are quicker done here than by processes that have to start first."""


@dataclass(slots=True)
class Sum:
    """Rounds, lines and money of one table or one clause."""

    rounds: set[tuple[date, str]] = field(default_factory=set)
    lines: int = 0
    more: int = 0  # what players would get more
    less: int = 0  # what they would get less

    def add(self, changed: Changed, money: int) -> None:
        self.rounds.add((changed.day, changed.round))
        self.lines += 1
        self.more += max(money, 0)
        self.less += max(-money, 0)

    def to_json(self) -> dict[str, int]:
        return {
            "rounds": len(self.rounds),
            "lines": self.lines,
            "more": self.more,
            "less": self.less,
            "money": self.more - self.less,
        }


@dataclass(slots=True)
class WhatIfReport:
    """What would have been otherwise in a period."""

    days: list[date]
    empty: list[date]
    rounds: int = 0
    changed: list[Changed] = field(default_factory=list)

    def add(self, unit: WhatIfDay) -> None:
        self.rounds += unit.rounds
        self.changed.extend(unit.changed)

    @property
    def money(self) -> int:
        return sum(changed.money for changed in self.changed)

    def by_table(self) -> dict[str, Sum]:
        out: dict[str, Sum] = {}
        for changed in self.changed:
            for line in changed.lines:
                out.setdefault(changed.table, Sum()).add(changed, line.money)
        return dict(sorted(out.items()))

    def by_clause(self) -> dict[tuple[str, str], Sum]:
        """By the round's rulebook and the clause that decides the line now."""
        out: dict[tuple[str, str], Sum] = {}
        for changed in self.changed:
            for line in changed.lines:
                decides = line.before or line.after
                clause = decides.clauses[0] if decides is not None else ""
                out.setdefault((changed.rulebook, clause), Sum()).add(changed, line.money)
        return dict(sorted(out.items()))

    def to_json(self) -> dict[str, Any]:
        return {
            "days": [day.isoformat() for day in self.days],
            "days_without_activity": [day.isoformat() for day in self.empty],
            "rounds": self.rounds,
            "rounds_changed": len(self.changed),
            "money": self.money,
            "by_table": [{"table": k, **v.to_json()} for k, v in self.by_table().items()],
            "by_clause": [
                {"rulebook": book, "clause": clause, **v.to_json()}
                for (book, clause), v in self.by_clause().items()
            ],
            "changed": [changed.to_json() for changed in self.changed],
        }


Unit = tuple[date, str, TableRegistry]
"""A day, a table, and what the registry has of that table."""
Tell = Callable[[int, int], None]


def replay_period(
    root: Path,
    days: list[date],
    change: Change,
    tables: frozenset[str] | None,
    tell: Tell = lambda done, total: None,
    registry: TableRegistry | None = None,
    engine: str = LOCAL,
) -> WhatIfReport:
    """Replay all tables of some days, or some of them."""
    keys = {} if registry is None else registry.tables
    with Archive(root) as archive:
        known = set(archive.days())
        _check_tables(archive, [day for day in days if day in known], tables)
        units = [
            (day, table, TableRegistry({table: keys[table]} if table in keys else {}))
            for day in days
            if day in known
            for table in archive.tables_of(day)
            if tables is None or table in tables
        ]
    report = WhatIfReport([d for d in days if d in known], [d for d in days if d not in known])
    done = itertools.count(1)
    tasks = [WhatIfTask(root.absolute(), unit, change) for unit in units]
    few = len(units) <= _SMALL and engine == LOCAL
    chosen: Engine = LocalEngine(1) if few else engine_of(engine)
    for unit in chosen.run(try_task, tasks, lambda _: tell(next(done), len(units))):
        report.add(unit)
    report.changed.sort(key=lambda changed: (changed.day, changed.table, changed.round))
    return report


def _check_tables(archive: Archive, days: list[date], tables: frozenset[str] | None) -> None:
    there = {table for day in days for table in archive.tables_of(day)}
    for table in sorted((tables or frozenset()) - there):
        hint = did_you_mean(table, there)
        raise InputError(f"table {table}: the archive has nothing of it in these days{hint}")


@dataclass(frozen=True, slots=True)
class WhatIfTask:
    """One table-day to be tried, as it is handed to an engine."""

    root: Path
    unit: Unit
    change: Change


def try_task(task: WhatIfTask, tell: EngineTell) -> WhatIfDay:
    """A table-day, on whatever machine; `tell` hears that one is done."""
    found = _one(task.root, task.unit, task.change)
    tell(1)
    return found


def _one(root: Path, unit: Unit, change: Change) -> WhatIfDay:
    day, table, registry = unit
    if change.draft is not None:
        load_draft(change.draft)  # each process for itself
    with Archive(root) as archive:
        events = archive.read_table_day(day, table)
        # without checkpoints: they tell of the record only, which no change of rules touches, and a
        # year of them read for every table-day would cost more than the replay
        surroundings = Surroundings(archive, day, table=table, registry=registry)
        around = surroundings.of(table, ends_of(events))
    return try_table_day(day, table, events, change, around)
