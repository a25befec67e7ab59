"""Which days are due: over, and not audited as the archive now has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from events.archive.reader import Archive
from pipelines.night.before import went_on_from
from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.layout import Warehouse, warehouse_of
from pipelines.warehouse.record import of_day_before

Stale = tuple[date, str]
"""A day, and what it would be made of now: the same text for the same state of the archive."""
Published = tuple[date, str, int, bool, str]
"""The run that counts for a day: day, run, revision of the archive, whether complete, inputs."""


def due_days(home: Path) -> list[Stale]:
    """Days of the archive that are over and that no run has audited as they now stand."""
    if not (home / "archive" / "journal.sqlite").exists():
        return []
    with Archive(home / "archive") as archive:
        audited = {day for day, *_ in _current(warehouse_of(home))}
        new = [(day, "new") for day in archive.days(complete=True) if day not in audited]
    return sorted([*new, *stale_days(home)])


def published_days(home: Path) -> list[date]:
    """The days that a run has audited and published."""
    return [day for day, *_ in _current(warehouse_of(home))]


def stale_days(home: Path) -> list[Stale]:
    """Published days that the archive has in a later revision, that were not complete then, or that
    went on from a day before which is not the same any more."""
    return stale_among(home, _current(warehouse_of(home)))


def stale_among(home: Path, rows: Sequence[Published]) -> list[Stale]:
    """The same of some days; a day is looked at together with the one before it. What the archive
    has is asked of its journal, never of its folders."""
    if not rows or not (home / "archive" / "journal.sqlite").exists():
        return []
    warehouse, current = warehouse_of(home), {day: run for day, run, *_ in rows}
    out = []
    with Archive(home / "archive") as archive:
        complete = set(archive.days(complete=True))
        for day, _, revision, was_complete, inputs in rows:
            if day not in complete:
                continue
            now, before = archive.revision(day), went_on_from(archive, warehouse, current, day)
            if now != revision or not was_complete or before != of_day_before(json.loads(inputs)):
                told = "-".join([str(now), *(before[name][:12] for name in sorted(before))])
                out.append((day, told))
    return out


def _current(warehouse: Warehouse) -> list[Published]:
    """The run that counts for each day, by day."""
    if not warehouse.catalogue.exists():
        return []
    with connect_fresh(warehouse.catalogue) as db:
        return db.execute(
            "SELECT day, run, revision, complete, inputs FROM runs WHERE current ORDER BY day"
        ).fetchall()
