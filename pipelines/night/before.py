"""What a day goes on from: the record and the audit of the day before.

Shoes, chains and meters do not end at six in the morning. A run keeps what it went on from among
its inputs, so that the day can be run again when the day before has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType

from checks.meter.end import DayEnd
from events.archive.reader import Archive
from events.runtime.durable import write_whole
from pipelines.night.context import Night
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.layout import Warehouse
from pipelines.warehouse.record import LEFT, REVISION

_DAY_END, _DAY_BEFORE = "day_end.json", "day_before.json"


def leave(night: Night, end: DayEnd) -> None:
    """Keep what the day after goes on from."""
    write_whole(night.folder.path / _DAY_END, end.to_json().encode())


def pin_before(
    archive: Archive, night: Night, together: Mapping[date, str] = MappingProxyType({})
) -> dict[str, str]:
    """The day before as it is now, kept for this run; its inputs of the run's record.

    `together`: runs of other days that will be published with this one."""
    current = {p.day: p.run for p in published(night.warehouse) if p.current} | dict(together)
    left = _left(night.warehouse, current, night.day)
    if left is not None:
        write_whole(night.folder.path / _DAY_BEFORE, left)
    return _inputs(archive, night.day, left)


def pinned_before(night: Night) -> DayEnd | None:
    """What the day before had left when this run began, where it was published."""
    path = night.folder.path / _DAY_BEFORE
    return DayEnd.from_json(path.read_text("utf-8")) if path.exists() else None


def went_on_from(
    archive: Archive, warehouse: Warehouse, current: Mapping[date, str], day: date
) -> dict[str, str]:
    """The inputs of a run that would begin now. `current`: the run that counts for each day."""
    return _inputs(archive, day, _left(warehouse, current, day))


def _inputs(archive: Archive, day: date, left: bytes | None) -> dict[str, str]:
    out = {}
    revision = archive.revision(day - timedelta(days=1))
    if revision is not None:
        out[REVISION] = str(revision)
    if left is not None:
        out[LEFT] = hashlib.sha256(left).hexdigest()
    return out


def _left(warehouse: Warehouse, current: Mapping[date, str], day: date) -> bytes | None:
    yesterday = day - timedelta(days=1)
    if yesterday not in current:
        return None
    path = warehouse.run_folder(yesterday, current[yesterday]).path / _DAY_END
    return path.read_bytes() if path.exists() else None
