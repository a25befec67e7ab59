"""All cores on one day: groups of tables handed to worker processes.

Workers are made by a server process of their own, because this process may hold threads and locks
(Dagster's, DuckDB's) that a fork would copy. A worker whose parent is gone ends itself.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from typing import Any, TypeVar

import pyarrow as pa

from pipelines.night.work import Done, Task, audit_group
from pipelines.warehouse.errors import TransientError

Progress = Callable[[int], None]
POLL_S = 0.2
T = TypeVar("T")
_KILLED = (
    "a worker process of the night was killed, often for want of memory; nothing was published"
)

_counter: Any = None


def _begin(counter: Any) -> None:
    global _counter  # noqa: PLW0603 # a worker process has one, from its first moment
    _counter = counter
    main = sys.modules["__main__"]
    if not hasattr(main, "__file__"):
        main.__file__ = ""  # else DuckDB takes the process for a notebook, and draws bars on stdout
    pa.set_cpu_count(1)  # there is a worker for every core already
    pa.set_io_thread_count(1)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


def _tell(events: int) -> None:
    with _counter.get_lock():
        _counter.value += events


def _work(task: Task) -> Done:
    return audit_group(task, _tell)


def cores() -> int:
    """The cores this process may use, which a container often makes fewer than the machine's."""
    return len(os.sched_getaffinity(0))


def audit_all(
    tasks: Sequence[Task], processes: int, progress: Progress = lambda events: None
) -> list[Done]:
    """Every group, on as many processes as asked for; with one, in this process."""
    if processes <= 1 or len(tasks) <= 1:
        return [audit_group(task, progress) for task in tasks]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pipelines.night.work"])
    counter = context.Value("q", 0)
    largest_first = sorted(tasks, key=lambda t: -t.group.events)
    with ProcessPoolExecutor(
        min(processes, len(tasks)), context, initializer=_begin, initargs=(counter,)
    ) as pool:
        waiting = [pool.submit(_work, task) for task in largest_first]
        try:
            done = _collect(waiting, counter, progress)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return sorted(done, key=lambda d: d.group)


def in_another_process(work: Callable[..., T], *args: Any) -> T:
    """One call in a process that ends with it."""
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(1, context, initializer=_begin, initargs=(None,)) as pool:
        try:
            return pool.submit(work, *args).result()
        except BrokenProcessPool:
            raise TransientError(f"{_KILLED}; run evenhand nightly again") from None


def _collect(waiting: Sequence[Future[Done]], counter: Any, progress: Progress) -> list[Done]:
    told = 0
    rest = set(waiting)
    while rest:
        finished, rest = wait(rest, timeout=POLL_S, return_when=FIRST_EXCEPTION)
        for future in finished:
            if future.exception() is not None:
                rest = set()
        now = counter.value
        progress(now - told)
        told = now
    try:
        return [future.result() for future in waiting if future.done()]
    except BrokenProcessPool:
        raise TransientError(
            f"{_KILLED}; run evenhand nightly again, with fewer cores (taskset) if it comes back"
        ) from None
