"""A period replayed under a change, by an engine: a group of table-days is one task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from checks.around import Surroundings, ends_of
from events.archive.reader import Archive
from events.contract import did_you_mean
from events.errors import InputError
from events.registry import TableRegistry
from events.runtime.digest import file_sha256
from events.runtime.workers import Tell as EngineTell
from events.settings import Settings
from pipelines.engines.base import LOCAL, Engine
from pipelines.engines.choose import engine_of
from pipelines.engines.local import LocalEngine
from pipelines.engines.room import Room, open_room
from pipelines.night.answered import same_files
from pipelines.night.groups import TableGroup, cut
from pipelines.whatif.details import read_details, write_details
from pipelines.whatif.draft import load_draft
from pipelines.whatif.replay import Change, Changed, try_table_day
from pipelines.whatif.sums import Sums

_SMALL = 8
"""So few table-days are quicker done here than by processes that have to start first."""


@dataclass(slots=True)
class WhatIfReport:
    """What would have been otherwise in a period: its figures, and where the rounds lie."""

    days: list[date]
    empty: list[date]
    details: Path
    sums: Sums = field(default_factory=Sums)

    def changed(self, most: int | None = None) -> Iterator[Changed]:
        """The rounds, by day, table and name; as many of them."""
        return islice(read_details(self.details), most)

    @property
    def money(self) -> int | None:
        """In all; None where there is more than one currency to it."""
        found = self.sums.by_currency()
        return None if len(found) > 1 else sum(one.money for one in found.values())

    def to_json(self) -> dict[str, Any]:
        sums = self.sums
        return {
            "days": [day.isoformat() for day in self.days],
            "days_without_activity": [day.isoformat() for day in self.empty],
            "rounds": sums.rounds,
            "rounds_changed": sums.changed,
            "money": self.money,
            "by_currency": {k: v.to_json() for k, v in sums.by_currency().items()},
            "by_table": [
                {"table": table, "currency": currency, **v.to_json()}
                for (currency, table), v in sums.by_table().items()
            ],
            "by_clause": [
                {"rulebook": book, "clause": clause, "currency": currency, **v.to_json()}
                for (currency, book, clause), v in sums.by_clause().items()
            ],
            "changed": [changed.to_json() for changed in self.changed()],
        }


Tell = Callable[[int, int], None]
"""Hears how many events are done, and of how many."""


@dataclass(frozen=True, slots=True)
class WhatIfPeriod:
    """Which part of an archive is replayed, under which change, and where the details go."""

    root: Path
    days: Sequence[date]
    change: Change
    details: Path
    tables: frozenset[str] | None = None
    registry: TableRegistry | None = None


def replay_period(
    asked: WhatIfPeriod, settings: Settings, tell: Tell = lambda done, total: None
) -> WhatIfReport:
    """Replay all tables of some days, or some of them, by the engine of the settings."""
    with Archive(asked.root) as archive:
        known = set(archive.days())
        days = [day for day in asked.days if day in known]
        _check_tables(archive, days, asked.tables)
        tasks = [task for day in days for task in _tasks(asked, day, archive.tables_of(day))]
    report = WhatIfReport(days, [d for d in asked.days if d not in known], asked.details)
    few = sum(len(task.group.tables) for task in tasks) <= _SMALL and settings.engine == LOCAL
    engine: Engine = LocalEngine(1) if few else engine_of(settings.engine)
    total = sum(task.events for task in tasks)
    done = 0

    def told(events: int) -> None:
        nonlocal done
        done += events
        tell(done, total)

    with open_room(settings) as room:
        if room is not None and asked.change.draft is not None:
            raise InputError(
                f"{asked.change.draft}: a draft is not in the object store; use --engine local"
            )
        for answer in engine.run(try_group, [replace(t, room=room) for t in tasks], told):
            report.sums.add(answer.sums)
            _take(asked.details, answer, room)
    return report


def _take(details: Path, answer: Tried, room: Room | None) -> None:
    """The file of a group's details, as it was written."""
    path = details / answer.name
    if room is not None:
        room.store.get(room.made(answer.name), path)
    found = {answer.name: file_sha256(path).hex()} if path.exists() else {}
    same_files(details, {answer.name: answer.sha256}, found)


def _check_tables(archive: Archive, days: list[date], tables: frozenset[str] | None) -> None:
    there = {table for day in days for table in archive.tables_of(day)}
    for table in sorted((tables or frozenset()) - there):
        hint = did_you_mean(table, there)
        raise InputError(f"table {table}: the archive has nothing of it in these days{hint}")


def _tasks(asked: WhatIfPeriod, day: date, tables: Mapping[str, int]) -> Iterator[WhatIfTask]:
    known = {} if asked.registry is None else asked.registry.tables
    chosen = {t: n for t, n in tables.items() if asked.tables is None or t in asked.tables}
    for group in cut(chosen) if chosen else ():
        own = TableRegistry({t: known[t] for t, _ in group.tables if t in known})
        root, details = asked.root.absolute(), asked.details.absolute()
        yield WhatIfTask(root, day, group, own, asked.change, details)


@dataclass(frozen=True, slots=True)
class WhatIfTask:
    """Some tables of a day to be tried, as they are handed to an engine, with what the registry has
    of them."""

    root: Path
    day: date
    group: TableGroup
    registry: TableRegistry
    change: Change
    details: Path
    room: Room | None = None

    @property
    def events(self) -> int:
        return self.group.events


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a group: its figures, and the file of its details."""

    sums: Sums
    name: str
    sha256: str


def try_group(task: WhatIfTask, tell: EngineTell) -> Tried:
    """Some table-days, on whatever machine; `tell` hears of events done."""
    if task.change.draft is not None:
        load_draft(task.change.draft)  # each process for itself
    sums, changed = Sums(), list[Changed]()
    room = task.room
    with Archive(task.root) if room is None else room.archive() as archive:
        for table, count in task.group.tables:
            events = archive.read_table_day(task.day, table)
            # without checkpoints: they tell of the record only, which no change of rules touches,
            # and a year of them read for every table-day would cost more than the replay
            surroundings = Surroundings(archive, task.day, table=table, registry=task.registry)
            around = surroundings.of(table, ends_of(events))
            unit = try_table_day(task.day, table, events, task.change, around)
            sums.add_day(unit)
            _note_currency(sums, table, events, task.registry)
            changed += sorted(unit.changed, key=lambda one: one.round)
            tell(count)
    name = f"{task.day}-{task.group.number:03d}.parquet"
    if room is None:
        return Tried(sums, name, write_details(task.details / name, changed))
    with TemporaryDirectory(prefix="evenhand-details-") as scratch:
        path = Path(scratch) / name
        sha256 = write_details(path, changed)
        room.store.put(room.made(name), path)
    return Tried(sums, name, sha256)


def _note_currency(sums: Sums, table: str, events: pa.Table, registry: TableRegistry) -> None:
    """What the table opened with, else what the registry has of it."""
    opened: Any = pc.field("type") == "TableOpened"
    said = {str(c) for c in events.filter(opened)["currency"].to_pylist() if c is not None}
    known = registry.tables[table].currency if table in registry.tables else None
    if said or known is not None:
        sums.currencies[table] = " or ".join(sorted(said)) or str(known)
