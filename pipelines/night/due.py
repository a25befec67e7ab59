"""Which days are due: over, and not audited as the archive now has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

from checks.silence import silence_of_day
from events.archive.reader import Archive
from events.registry import load_registry
from events.settings import settings_of_home
from pipelines.night.bearing import HouseWord
from pipelines.night.before import went_on_from
from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.layout import Warehouse, warehouse_of
from pipelines.warehouse.record import of_day_before

Stale = tuple[date, str]
"""A day, and what it would be made of now: the same text for the same state of the archive."""
Published = tuple[date, str, int, bool, str]
"""The run that counts for a day: day, run, revision of the archive, whether complete, inputs."""
_LONGEST_GAP = 31


def due_days(home: Path) -> list[Stale]:
    """Days of the archive that are over and that no run has audited as they now stand."""
    if not (home / "archive" / "journal.sqlite").exists():
        return []
    with Archive(home / "archive") as archive:
        audited = {day for day, *_ in _current(warehouse_of(home))}
        new = [(day, "new") for day in archive.days(complete=True) if day not in audited]
        new += [(day, "silent") for day in _silent_days(archive, home) if day not in audited]
    return sorted([*new, *stale_days(home)])


def silent_on(home: Path, day: date) -> list[str]:
    """The tables that sent nothing on a day, of which the archive has nothing at all, and should
    have."""
    if not (home / "archive" / "journal.sqlite").exists():
        return []
    with Archive(home / "archive") as archive:
        return [] if day in archive.days() else _silent(archive, home, day)


def _silent_days(archive: Archive, home: Path) -> Iterator[date]:
    """Days between two of the archive on which nothing came although tables were not closed. A
    longer pause than a month is none that somebody overlooked."""
    for before, after in pairwise(archive.days()):
        gap = (after - before).days
        for more in range(1, gap) if gap <= _LONGEST_GAP else ():
            if _silent(archive, home, before + timedelta(days=more)):
                yield before + timedelta(days=more)


def _silent(archive: Archive, home: Path, day: date) -> list[str]:
    registry = load_registry(settings_of_home(home).tables_file)
    return [f.table for f in silence_of_day(archive, day, registry) if f.table]


def published_days(home: Path) -> list[date]:
    """The days that a run has audited and published."""
    return [day for day, *_ in _current(warehouse_of(home))]


def stale_days(home: Path) -> list[Stale]:
    """Published days that the archive has in a later revision, that were not complete then, that
    went on from a day before which is not the same any more, or of which the house now says
    something else (pipelines/night/bearing.py)."""
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
        house = HouseWord(archive, home, min(current))
        for day, _, revision, was_complete, inputs in rows:
            if day not in complete:
                continue
            then: dict[str, str] = json.loads(inputs)
            now, before = archive.revision(day), went_on_from(archive, warehouse, current, day)
            said = house.of(day, then)
            changed = any(then.get(name, word) != word for name, word in said.items())
            if now != revision or not was_complete or before != of_day_before(then) or changed:
                state = {**before, **(said if changed else {})}
                out.append((day, "-".join([str(now), *(state[n][:12] for n in sorted(state))])))
    return out


def _current(warehouse: Warehouse) -> list[Published]:
    """The run that counts for each day, by day."""
    if not warehouse.catalogue.exists():
        return []
    with connect_fresh(warehouse.catalogue) as db:
        return db.execute(
            "SELECT day, run, revision, complete, inputs FROM runs WHERE current ORDER BY day"
        ).fetchall()
