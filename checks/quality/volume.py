"""Freshness and volume: each table's day against its own history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

from checks.quality.result import Failing

FEW, MANY = 0.3, 3.0
"""A day with less than this share of a table's usual events, or more than that many times, is
worth a look."""
QUIET_HOURS = 3.0
"""A table whose last event is this much earlier than usual fell silent."""
ENOUGH_DAYS = 3
"""Before that a table has no history to speak of."""


@dataclass(frozen=True, slots=True)
class Volume:
    """One table's day: how many events, and the hours from the day's first event of any table to
    this table's last."""

    day: date
    table_id: str
    events: int
    hours: float


def volumes_of(connection: Any, day: date) -> list[Volume]:
    """The volumes of a day that is loaded, to be kept as history for the days after it."""
    rows = connection.execute(
        "SELECT table_id, count(*), max(us), min(min(us)) OVER () FROM (SELECT table_id, epoch_us("
        "CASE WHEN wrong_clock THEN arrived_at ELSE seen_at END) AS us FROM events WHERE day = ?) "
        "GROUP BY table_id ORDER BY table_id",
        [day],
    ).fetchall()
    return [Volume(day, str(t), n, (last - first) / 3.6e9) for t, n, last, first in rows]


def unusual(
    today: Sequence[Volume], history: Mapping[str, Sequence[Volume]]
) -> dict[str, list[Failing]]:
    """What is unusual, by the name of the expectation: volume, freshness, tables that are absent.

    `history`: per table its earlier days, as volumes_of() gave them.
    """
    out: dict[str, list[Failing]] = {
        "usual volume": [],
        "usual end": [],
        "every table is there": [],
    }
    present = {volume.table_id for volume in today}
    for volume in today:
        earlier = history.get(volume.table_id, ())
        if len(earlier) < ENOUGH_DAYS:
            continue
        events = median(v.events for v in earlier)
        hours = median(v.hours for v in earlier)
        if not FEW * events <= volume.events <= MANY * events:
            key = f"{volume.events} events, usually {events:.0f}"
            out["usual volume"].append(Failing(volume.table_id, None, key))
        if volume.hours < hours - QUIET_HOURS:
            key = f"last event after {volume.hours:.1f} hours, usually {hours:.1f}"
            out["usual end"].append(Failing(volume.table_id, None, key))
    for table, earlier in history.items():
        if table not in present and len(earlier) >= ENOUGH_DAYS:
            key = f"no event; {len(earlier)} days before had some"
            out["every table is there"].append(Failing(table, None, key))
    return out
