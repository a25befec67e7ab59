"""What one process does with one group of tables: columns in, Parquet parts out.

Only a batch of tables is in memory at a time, and only the rows of the batches that are not
written yet; so a worker's memory does not depend on the length of the day.
"""

from __future__ import annotations

import gc
import os
import resource
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from checks.around import Around, DayInJournal, Surroundings, ends_of
from checks.meter.traces import METER, WINS
from checks.table_day import Rows, audit_table_day, to_table
from checks.tables import SCHEMAS
from events.archive.parquet import by_table, read_columns
from events.archive.reader import ArchiveOnDemand
from events.checkpoints import Checkpoint
from events.errors import EvenhandError
from events.objects import AnyFile, ObjectFile, ObjectStore
from events.registry import load_registry
from events.runtime import logs
from events.runtime.digest import file_sha256
from events.runtime.workers import Tell
from pipelines.night.groups import TableGroup, batches
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import RunFolder

WRITE_ROWS = 50_000
DERIVED = ("rounds", "lines", "settlements", "findings")
"""What a group writes. The findings of all groups become one file later."""
FOR_ACROSS = {"meters": METER, "wins": WINS}
"""Besides: what the check across tables needs of those with a progressive meter; read by the next
stage and gone after it."""


@dataclass(frozen=True, slots=True)
class Task:
    """One group of one run, as it is handed to a process."""

    folder: RunFolder
    group: TableGroup
    turned: frozenset[str]
    archive: Path
    tables: Path
    journal: DayInJournal
    checkpoints: tuple[Checkpoint, ...]
    """What the journal and the checkpoints say around these tables, read once for the day: a worker
    opens the journal only where it has to read another day."""
    pinned_at: tuple[ObjectFile, ...] = ()
    """The day's columns, where they are not read in the run's folder."""
    columns_at: ObjectStore | None = None
    """Where those of other days are, if not in the archive."""

    @property
    def events(self) -> int:
        return self.group.events


@dataclass(slots=True)
class Done:
    """What came of a group: processor time by stage, and the process's peak memory and whole
    processor time so far."""

    group: int
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    process: int = 0
    peak_kb: int = 0
    busy_s: float = 0.0
    files: dict[str, str] = field(default_factory=dict)
    """The parts that were written, by name, with their SHA-256."""


def audit_group(task: Task, tell: Tell = lambda events: None) -> Done:
    """Audit every table of a group and write its rows; `tell` hears of events done."""
    logs.keep_runs(task.archive.parent)  # this may be another process, on another machine
    with logs.bound(run=task.folder.run, day=task.folder.day.isoformat()):
        done = _audit_group(task, tell)
        logs.logger("night").info(
            "group.audited",
            group=done.group,
            tables=len(task.group.tables),
            events=task.events,
            cpu_seconds={name: round(spent, 3) for name, spent in done.seconds.items()},
            peak_kb=done.peak_kb,
        )
    return done


def _audit_group(task: Task, tell: Tell) -> Done:
    files: Sequence[AnyFile] = task.pinned_at or task.folder.parts("events")
    done = Done(task.group.number, dict.fromkeys(DERIVED, 0), {"read": 0, "replay": 0, "load": 0})
    gc.disable()  # rounds make next to no cycles; looking for some costs a tenth of the time
    gc.freeze()  # nor are any looked for among all that was imported, batch after batch
    try:
        with (
            ArchiveOnDemand(task.archive, task.columns_at) as archive,
            _Parts(task.folder, task.group.number, done) as parts,
        ):
            surroundings = Surroundings(
                archive,
                task.folder.day,
                task.checkpoints,
                registry=load_registry(task.tables),
                journal=task.journal,
            )
            for names in batches(task.group):
                begun = time.process_time()
                events = read_columns(files, names)
                done.seconds["read"] += time.process_time() - begun
                for table, own in by_table(events):
                    begun = time.process_time()
                    around = surroundings.of(table, ends_of(own))
                    _audit(task.folder.day, table, own, task.turned, around, parts.rows)
                    done.seconds["replay"] += time.process_time() - begun
                    parts.flush(WRITE_ROWS)
                    tell(len(own))
                gc.collect()
    except (pa.ArrowException, OSError) as error:
        raise WarehouseError(
            f"{task.folder.path}: can't be written: {error}; nothing was published, make room and "
            f"run evenhand nightly --day {task.folder.day} again"
        ) from None
    finally:
        gc.unfreeze()
        gc.enable()
    done.process, done.busy_s = os.getpid(), time.process_time()
    done.peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return done


def _audit(
    day: date, table: str, events: pa.Table, turned: frozenset[str], around: Around, rows: Rows
) -> None:
    try:
        audit_table_day(day, events, turned, rows=rows, around=around)
    except EvenhandError:
        raise
    except Exception as error:
        raise WarehouseError(
            f"day {day}, table {table}: an error of ours in the audit: "
            f"{type(error).__name__}: {error}; nothing was published"
        ) from error


class _Parts:
    """The Parquet files that a group writes, all of them there at the end, or none that counts."""

    def __init__(self, folder: RunFolder, number: int, done: Done) -> None:
        self.rows = Rows()
        self._done = done
        schemas = {name: SCHEMAS[name] for name in DERIVED} | FOR_ACROSS
        self._paths = [folder.part(name, number) for name in schemas]
        # a group may be done twice at once, where a machine was taken for dead: each attempt has
        # names of its own, and both rename the same bytes into place
        attempt = secrets.token_hex(4)
        self._drafts = [path.with_name(f".{path.name}.{attempt}") for path in self._paths]
        self._writers = {
            name: pq.ParquetWriter(
                draft, schema, compression="zstd", compression_level=1, write_statistics=True
            )
            for draft, (name, schema) in zip(self._drafts, schemas.items(), strict=True)
        }

    def __enter__(self) -> _Parts:
        return self

    def flush(self, least: int) -> None:
        """Write what has come together, once it is enough."""
        if len(self.rows.lines) + len(self.rows.settlements) < least:
            return
        begun = time.process_time()
        for name, table in self.rows.tables().items():
            self._writers[name].write_table(table)
            self._done.counts[name] += table.num_rows
        for meter in self.rows.meters:
            self._writers["meters"].write_table(meter.rows)
            self._writers["wins"].write_table(to_table(meter.wins, WINS))
        self._done.left_out += self.rows.left_out
        self.rows = Rows()
        self._done.seconds["load"] += time.process_time() - begun

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.flush(0)
        finally:
            begun = time.process_time()
            for writer in self._writers.values():
                writer.close()
            self._done.seconds["load"] += time.process_time() - begun
        if kind is not None:
            for draft in self._drafts:
                draft.unlink(missing_ok=True)
            return
        sync_files(self._drafts)
        for draft, path in zip(self._drafts, self._paths, strict=True):
            self._done.files[path.name] = file_sha256(draft).hex()
            draft.replace(path)


def sync_files(paths: Sequence[Path]) -> None:
    """Make files durable before anything names them."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
