"""Tables that should have sent something and did not, and tables that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import pyarrow.compute as pc

from checks.record.file import integrity
from events.archive.reader import Archive
from events.registry import TableRegistry
from replay.answer import Finding


def silence_of_day(archive: Archive, day: date, registry: TableRegistry | None) -> list[Finding]:
    """The tables without an event on a day that is over, and those that the registry lacks.

    A table is silent where its last event before the day is no closing, or where the registry
    expects it that day; one that the registry does not have on the floor then is not missed.
    """
    sql = "SELECT table_id, day, first_seq, last_seq FROM day_tables WHERE day <= ? ORDER BY day"
    days: dict[str, list[date]] = {}
    here: dict[str, int] = {}
    for table, when, first, end in archive.db.execute(sql, (day.isoformat(),)):
        if when != day.isoformat():
            days.setdefault(table, []).append(date.fromisoformat(when))
        elif first < end or _last_of_play(archive, table, [day]) is not None:
            here[table] = first
    found = []
    for table in sorted({*days, *(registry.tables if registry else ())} - here.keys()):
        why = _silent(archive, table, day, days.get(table, []), registry)
        if why:
            says = f"table {table}: no event on {day}, although {why}"
            found.append(integrity("silent_table", table, None, None, says, day.toordinal()))
    for table, seq in sorted(here.items()) if registry is not None else ():
        known = registry.tables.get(table) if registry is not None else None
        if known is None or not known.stands(day):
            what = "is not in the registry" if known is None else "is not on the floor by it"
            says = f"table {table}: it played on {day}, and {what} of tables"
            found.append(integrity("unknown_table", table, None, seq, says, None))
    return found


def _silent(
    archive: Archive,
    table: str,
    day: date,
    days: Sequence[date],
    registry: TableRegistry | None,
) -> str | None:
    known = None if registry is None else registry.tables.get(table)
    if registry is not None and (known is None or not known.stands(day)):
        return None
    if known is not None and known.expected(day):
        return "the registry expects it to play that day"
    last = _last_of_play(archive, table, days)
    if last is None or "TableClosed" in last.types:
        return None
    return f"its last one, event {last.seq} of {last.day}, did not close it"


class _LastOfPlay(NamedTuple):
    """The last thing that happened at a table; several types where several claim its number."""

    day: date
    seq: int
    types: frozenset[str]


def _last_of_play(archive: Archive, table: str, days: Sequence[date]) -> _LastOfPlay | None:
    """On the last of these days on which it played: a gateway's signature comes after it, maybe on
    the next day, and is no event of play."""
    for day in reversed(days):
        rows = archive.read_tables(day, [table], ["seq", "type"])
        rows = rows.filter(pc.field("type") != "HeadSigned")
        if len(rows):
            seq: int = pc.max(rows["seq"]).as_py()
            types: list[Any] = rows.filter(pc.field("seq") == seq)["type"].to_pylist()
            return _LastOfPlay(day, seq, frozenset(types))
    return None
