"""A table's day as its rounds are looked at, and a few of them kept while nothing they are made
from has changed.

Which events of a day count, and what is around each round, is the same for every round of a table's
day. Whoever looks at one round makes it once; the desk keeps the last few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from checks.around import Surroundings, ends_of
from checks.in_day import CONTEXT_COLUMNS, DayContexts
from checks.record.columns import undecodable
from events.archive.journal import get_about
from events.checkpoints import load_checkpoints
from events.registry import load_registry
from replay.answer import Finding

if TYPE_CHECKING:
    from events.archive.reader import Archive
    from pipelines.investigate.neighbours import Premises

MOST_KEPT = 32
"""Table-days, of one to three megabytes each."""


class TableDay(NamedTuple):
    """contexts: what is around each round, and which events count.
    unread: what could not be read, names a round of the day and no table.
    beyond: whether the day after was read, because the day's own end leaves something open."""

    contexts: DayContexts
    unread: tuple[Finding, ...]
    beyond: bool


def look_at(premises: Premises, day: date, table: str) -> TableDay:
    """A table's day, made from the archive as it is now."""
    columns = premises.archive.read_tables(day, [table], CONTEXT_COLUMNS)
    known = load_checkpoints(premises.checkpoints, tables={table})
    registry = load_registry(premises.tables)
    surroundings = Surroundings(premises.archive, day, known, table=table, registry=registry)
    ends = ends_of(columns)
    around = surroundings.of(table, ends)
    unread = tuple(undecodable(day, surroundings.of_nobody(), None))
    beyond = bool(around.signatures.keys.keys) and ends.unsigned
    return TableDay(DayContexts(day, columns, around), unread, beyond)


class _DayVersion(NamedTuple):
    """Everything that a table's day is made from, by what says that it has changed."""

    whole: tuple[object, ...]
    after: tuple[object, ...]  # the table's next day, which counts only where it was read


@dataclass(slots=True)
class _KeptDay:
    lock: Lock = field(default_factory=Lock)
    version: _DayVersion | None = None
    found: TableDay | None = None


class TableDays:
    """The days of tables that were looked at last. Threads that want the same wait for one."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most, self._lock = most, Lock()
        self._kept: OrderedDict[tuple[Path, date, str], _KeptDay] = OrderedDict()

    def of(self, premises: Premises, day: date, table: str) -> TableDay:
        """As `look_at` makes it from the archive as it is now."""
        name = (premises.archive.layout.root, day, table)
        with self._lock:
            place = self._kept.setdefault(name, _KeptDay())
            self._kept.move_to_end(name)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        now = _version(premises, day, table)  # before it is made: what comes meanwhile is seen next
        with place.lock:
            found = place.found
            if found is not None and _holds(found, place.version, now):
                return found
            found = look_at(premises, day, table)
            found.contexts.keep_little()
            place.version, place.found = now, found
            return found


def _holds(found: TableDay, before: _DayVersion | None, now: _DayVersion) -> bool:
    if before is None or before.whole != now.whole:
        return False
    return not found.beyond or before.after == now.after


def _version(premises: Premises, day: date, table: str) -> _DayVersion:
    """Days that only follow matter by where they begin, so that play that goes on changes nothing
    for the day before; one that lies within the day's numbers matters with all it has."""
    ask = _asking(premises.archive)
    spans = ask(
        "SELECT t.day, t.first_seq, t.last_seq, t.events, d.revision, d.complete, d.changed "
        "FROM day_tables t JOIN days d USING (day) WHERE t.table_id = ? ORDER BY t.day",
        table,
    )
    last = max((row[2] for row in spans if row[0] == day.isoformat()), default=0)
    after = sorted((row for row in spans if row[1] > last), key=lambda row: row[1])
    return _DayVersion(
        (
            get_about(premises.archive.db, "id"),
            tuple(row for row in spans if row[1] <= last),
            tuple(row[:2] for row in after),
            ask("SELECT name, sha256 FROM columns WHERE day = ? ORDER BY name", day.isoformat()),
            ask("SELECT count(*) FROM day_tables WHERE day = ?", day.isoformat()),
            ask("SELECT count(*), max(id), total(id), total(length(reason)) FROM quarantine"),
            ask("SELECT source, number FROM sources ORDER BY number"),
            _file(premises.checkpoints),
            _file(premises.tables),
        ),
        tuple(after[:1]),
    )


def _asking(archive: Archive) -> Callable[..., tuple[Any, ...]]:
    def ask(sql: str, *values: object) -> tuple[Any, ...]:
        return tuple(archive.db.execute(sql, values).fetchall())

    return ask


def _file(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
