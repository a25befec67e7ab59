"""All cores of this machine: tasks handed to worker processes.

Workers are made by a server process of their own, because this process may hold threads and locks
(Dagster's, DuckDB's) that a fork would copy.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

import pyarrow as pa

from events.runtime import logs
from events.runtime.workers import Tell, WorkerDiedError, cores, spread
from pipelines.engines.base import silent
from pipelines.warehouse.errors import TransientError

T = TypeVar("T")
R = TypeVar("R")
KILLED = (
    "a worker process was killed, often for want of memory; nothing was published; run the same "
    "command again"
)


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """`processes`: how many; with one, or one task, the work runs in this process."""

    processes: int = 0

    def run(self, work: Callable[[T, Tell], R], tasks: Sequence[T], told: Tell = silent) -> list[R]:
        """Largest first, where tasks say how large they are, so that the last ones even out."""
        processes = self.processes or cores()
        if processes <= 1 or len(tasks) <= 1:
            return [work(task, told) for task in tasks]
        serve_workers_of_the_night()
        order = sorted(range(len(tasks)), key=lambda n: -getattr(tasks[n], "events", 0))
        numbered = [(n, work, tasks[n]) for n in order]
        try:
            answers = dict(
                spread(
                    _numbered,
                    numbered,
                    processes,
                    method="forkserver",
                    begin=as_worker(),
                    told=told,
                )
            )
        except WorkerDiedError as error:
            raise TransientError(
                f"{KILLED}, with fewer cores (taskset) if it comes back"
            ) from error
        return [answers[n] for n in range(len(tasks))]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Its processes end with each run."""


def serve_workers_of_the_night() -> None:
    """Before the first worker: what all of them need is imported once, by the server."""
    multiprocessing.set_forkserver_preload(["pipelines.night.work"])


def _numbered(task: tuple[int, Callable[[T, Tell], R], T], tell: Tell) -> tuple[int, R]:
    number, work, one = task
    return number, work(one, tell)


def as_worker() -> Callable[[], None]:
    """What prepares a worker: it tells its log as this process does."""
    return partial(_prepare, logs.in_force())


def _prepare(telling: logs.Telling | None) -> None:
    if telling is not None:
        logs.tell(telling)
    pa.set_cpu_count(1)  # there is a worker for every core already
    pa.set_io_thread_count(1)
