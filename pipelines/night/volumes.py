"""How busy each table was on the days before, kept beside each day's files.

Counted once per day: asking the events of the last four weeks again every night would cost more
than the audit.
"""

from __future__ import annotations

import json

from checks.quality.volume import Volume, volumes_of
from events.runtime.durable import write_whole
from pipelines.night.context import Night
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.connect import connect_stage
from pipelines.warehouse.layout import RunFolder

_FILE = "volumes.json"
DAYS = 28


def keep_volumes(night: Night) -> list[Volume]:
    """Count this day's, for the days to come."""
    with connect_stage(night.folder.stage) as db:
        found = volumes_of(db, night.day)
    rows = [[v.table_id, v.events, v.hours] for v in found]
    write_whole(night.folder.path / _FILE, json.dumps(rows).encode())
    return found


def volumes_before(night: Night) -> dict[str, list[Volume]]:
    """Per table its last days before this one, as far as they are published."""
    runs = [p for p in published(night.warehouse) if p.current and p.day < night.day]
    out: dict[str, list[Volume]] = {}
    for p in runs[-DAYS:]:
        for volume in _read(night.warehouse.run_folder(p.day, p.run)):
            out.setdefault(volume.table_id, []).append(volume)
    return out


def _read(folder: RunFolder) -> list[Volume]:
    path = folder.path / _FILE
    if not path.exists():
        return []
    return [Volume(folder.day, t, n, h) for t, n, h in json.loads(path.read_text("utf-8"))]
