"""All cores on one day: groups of tables handed to worker processes.

Workers are made by a server process of their own, because this process may hold threads and locks
(Dagster's, DuckDB's) that a fork would copy.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pyarrow as pa

from events.runtime.workers import Tell, WorkerDiedError, spread
from pipelines.night.work import Done, Task, audit_group
from pipelines.warehouse.errors import TransientError

T = TypeVar("T")
_KILLED = (
    "a worker process of the night was killed, often for want of memory; nothing was published; "
    "run evenhand nightly again"
)


def audit_all(
    tasks: Sequence[Task], processes: int, progress: Tell = lambda events: None
) -> list[Done]:
    """Every group, on as many processes as asked for; with one, in this process."""
    if processes <= 1 or len(tasks) <= 1:
        return [audit_group(task, progress) for task in tasks]
    multiprocessing.set_forkserver_preload(["pipelines.night.work"])
    largest_first = sorted(tasks, key=lambda t: -t.group.events)
    try:
        done = list(
            spread(
                audit_group,
                largest_first,
                processes,
                method="forkserver",
                begin=_one_core_each,
                told=progress,
            )
        )
    except WorkerDiedError as error:
        raise TransientError(f"{_KILLED}, with fewer cores (taskset) if it comes back") from error
    return sorted(done, key=lambda d: d.group)


def in_another_process(work: Callable[..., T], *args: Any) -> T:
    """One call in a process that ends with it."""
    try:
        (answer,) = spread(_call, [(work, args)], 1, method="forkserver", begin=_one_core_each)
    except WorkerDiedError as error:
        raise TransientError(_KILLED) from error
    return answer  # type: ignore[no-any-return]


def _one_core_each() -> None:
    pa.set_cpu_count(1)  # there is a worker for every core already
    pa.set_io_thread_count(1)


def _call(call: tuple[Callable[..., Any], tuple[Any, ...]], _: Tell) -> Any:
    work, args = call
    return work(*args)
