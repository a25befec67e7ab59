"""The audit on machines that see nothing of the house but an object store.

A pinned day is a list of keys there: an object is never changed, so nothing has to be copied. What
a task writes is put under the run's name and brought home by whoever asked, because auditors read
files of the house's own machine; its checksum comes with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from events.objects import ObjectFile, ObjectStore
from events.runtime.workers import Tell
from pipelines.engines.base import Engine
from pipelines.engines.room import TABLES, Room, open_room
from pipelines.night.context import Night
from pipelines.night.work import Done, Task, audit_group, sync_files
from pipelines.warehouse.layout import RunFolder


@dataclass(frozen=True, slots=True)
class FarTask:
    """One group, and the keys of its day."""

    task: Task
    room: Room
    pinned: tuple[str, ...]

    @property
    def events(self) -> int:
        return self.task.events


def audit_all(
    engine: Engine, given: Sequence[tuple[Night, Task]], progress: Tell = lambda events: None
) -> list[Done]:
    """All these groups, wherever the engine runs; their files are in their runs' folders then."""
    if not given:
        return []
    with open_room(given[0][0].settings) as room:
        if room is None:
            return engine.run(audit_group, [task for _, task in given], progress)
        nights = {night.folder: night for night, _ in given}
        keys = {folder: _pinned(night, room.store) for folder, night in nights.items()}
        tasks = [FarTask(task, room, keys[night.folder]) for night, task in given]
        done = engine.run(audit_far, tasks, progress)
        for (night, _), one in zip(given, done, strict=True):
            _bring_home(night.folder, room.store, one)
    return done


def _pinned(night: Night, store: ObjectStore) -> tuple[str, ...]:
    """The day as it was pinned, as keys. What the archive has replaced since, and what was in no
    column file yet, is put there from the run's own copy."""
    known: list[str] = night.state()["pinned"]["columns"]
    there = store.sizes(f"archive/{night.day}")
    keys = []
    for number, part in enumerate(night.folder.parts("events")):
        key = known[number] if number < len(known) else night.folder.key(part.name)
        if key not in there:
            store.put(key, part)
        keys.append(key)
    return tuple(keys)


def audit_far(far: FarTask, tell: Tell = lambda events: None) -> Done:
    """One group on a machine that has no folder of the house."""
    store, files = far.room.store, far.room.files()
    with TemporaryDirectory(prefix="evenhand-group-") as scratch:
        task = replace(
            far.task,
            folder=replace(far.task.folder, path=Path(scratch)),
            archive=files,
            tables=files / TABLES,
            pinned_at=tuple(ObjectFile(store, key) for key in far.pinned),
            columns_at=store,
        )
        done = audit_group(task, tell)
        for name in done.files:
            store.put(far.task.folder.key(name), Path(scratch) / name)
    return done


def _bring_home(folder: RunFolder, store: ObjectStore, done: Done) -> None:
    paths = [folder.path / name for name in done.files]
    for path in paths:
        store.get(folder.key(path.name), path)
    sync_files(paths)
