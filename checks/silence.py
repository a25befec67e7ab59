"""Tables that should have sent something and did not, and tables that nobody knows."""

from __future__ import annotations

from datetime import date

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
    last: dict[str, tuple[date, int]] = {}
    here: dict[str, int] = {}
    for table, when, first, end in archive.db.execute(sql, (day.isoformat(),)):
        if when == day.isoformat():
            here[table] = first
        else:
            last[table] = (date.fromisoformat(when), end)
    found = []
    for table in sorted({*last, *(registry.tables if registry else ())} - here.keys()):
        why = _silent(archive, table, day, last.get(table), registry)
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
    last: tuple[date, int] | None,
    registry: TableRegistry | None,
) -> str | None:
    known = None if registry is None else registry.tables.get(table)
    if registry is not None and (known is None or not known.stands(day)):
        return None
    if known is not None and known.expected(day):
        return "the registry expects it to play that day"
    if last is None:
        return None
    when, seq = last
    rows = archive.read_tables(when, [table], ["seq", "type"])
    types = rows.filter(pc.field("seq") == seq)["type"].to_pylist()
    if "TableClosed" in types:
        return None
    return f"its last one, event {seq} of {when}, did not close it"
