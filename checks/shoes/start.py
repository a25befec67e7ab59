"""The start of a shoe that was in play before a day began, on whatever day it lies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import date

import pyarrow as pa

from checks.context import ShoeStart
from checks.rows import rows_with

START_COLUMNS = ("seq", "type", "shoe", "shuffled")
DAYS_BACK = 31
"""So many of a table's days back at most a start is looked for; no load of cards, not even one of a
shuffler, stays in play for longer."""


def starts_in(day: date, events: pa.Table) -> list[tuple[str, ShoeStart]]:
    """Every start of a shoe in a table's day, by seq. `events` has START_COLUMNS."""
    found = pa.array(rows_with(events["type"], "ShoeStarted"), pa.int64())
    rows = events.select(START_COLUMNS).take(found).to_pylist()
    return [(row["shoe"], ShoeStart(row["shuffled"], row["seq"], day)) for row in rows]


def starts_before(
    seq: int,
    shoes: Collection[str],
    days: Iterable[date],
    read: Callable[[date], pa.Table],
) -> dict[str, ShoeStart]:
    """The last start of each of these shoes before an event.

    days: the table's other days, newest first.
    read: the table's events of such a day, with START_COLUMNS, by seq.
    """
    found: dict[str, ShoeStart] = {}
    for when, _ in zip(days, range(DAYS_BACK), strict=False):
        for name, start in starts_in(when, read(when)):
            known = found.get(name)
            later = known is None or (start.seq or 0) > (known.seq or 0)
            if name in shoes and later and (start.seq or 0) < seq:
                found[name] = start
        if found.keys() >= set(shoes):
            break
    return found
