"""Work spread over processes, any of which may die at any moment.

Python's own pool can wait forever when a worker is killed while the next one starts: it ends the
workers that it knows, and then waits for one that came after. Here each worker has a pipe of its
own and shares nothing else, no queue and no lock: its death closes the pipe, and that is all the
others ever learn of it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Literal, TypeVar, cast

Method = Literal["spawn", "forkserver"]
Tell = Callable[[int], None]
T = TypeVar("T")
R = TypeVar("R")
_PATIENCE_S = 10.0


class WorkerDiedError(Exception):
    """A worker process ended before it had answered."""


@dataclass(frozen=True, slots=True)
class _Told:
    amount: int


@dataclass(frozen=True, slots=True)
class _Failed:
    error: Exception


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Any


def cores() -> int:
    """The cores this process may use, which a container often makes fewer than the machine's."""
    return len(os.sched_getaffinity(0))


def nothing() -> None:
    """No preparation."""


def spread(
    work: Callable[[T, Tell], R],
    tasks: Iterable[T],
    processes: int,
    *,
    method: Method,
    begin: Callable[[], None] = nothing,
    told: Tell = lambda amount: None,
) -> Iterator[R]:
    """Answers to all tasks, in the order in which they come; `work` runs in other processes.

    The tasks are taken one by one as workers become free. `begin` prepares a worker, and `told`
    gets what the work tells of its progress. What `work` raises is raised here, and a worker that
    is killed is a `WorkerDiedError`; in both cases the other workers are ended.
    """
    left = iter(tasks)
    context: Any = multiprocessing.get_context(method)
    workers: dict[Connection, Any] = {}
    answered = False
    try:
        for task in islice(left, processes):
            pipe, worker = _started(context, work, begin)
            workers[pipe] = worker
            _send(pipe, task)
        busy = set(workers)
        while busy:
            for pipe in cast("list[Connection]", wait(busy)):
                said = _receive(pipe)
                if isinstance(said, _Told):
                    told(said.amount)
                    continue
                for task in islice(left, 1):
                    _send(pipe, task)
                    break
                else:
                    busy.remove(pipe)
                yield said.value
        answered = True
    finally:
        for pipe, worker in workers.items():
            pipe.close()  # a worker without a task takes this for its end
            if not answered:
                worker.kill()
        for worker in workers.values():
            worker.join()


@contextmanager
def started_early(
    work: Callable[[T, Tell], R], *, method: Method, begin: Callable[[], None] = nothing
) -> Iterator[Callable[[T], R]]:
    """A worker that prepares itself (`begin`) until it is asked; what it is asked, it answers.

    A worker that is killed is a `WorkerDiedError` of the question. It ends with the block."""
    context: Any = multiprocessing.get_context(method)
    pipe, worker = _started(context, work, partial(_begin_early, begin))
    asked = False

    def ask(task: T) -> R:
        nonlocal asked
        asked = True
        _send(pipe, task)
        while isinstance(said := _receive(pipe), _Told):
            pass  # nobody listens to its progress
        return cast("R", said.value)

    try:
        yield ask
    finally:
        pipe.close()
        if not asked:
            worker.terminate()  # it may still prepare itself for what nobody will ask
        worker.join(_PATIENCE_S)
        worker.kill()
        worker.join()


def _begin_early(begin: Callable[[], None]) -> None:
    """Whoever is asked to end while he prepares himself leaves nothing behind, no semaphore that a
    library has made meanwhile."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    begin()


def _started(
    context: Any, work: Callable[[Any, Tell], Any], begin: Callable[[], None]
) -> tuple[Connection, Any]:
    """A worker process, and our end of its pipe."""
    pipe, theirs = context.Pipe()
    worker = context.Process(target=_serve, args=(theirs, work, begin), daemon=True)
    try:
        with _ctrl_c_held_back():
            worker.start()
    except (OSError, EOFError) as error:
        raise WorkerDiedError("a worker process did not start") from error
    finally:
        theirs.close()
    return pipe, worker


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """What starts meanwhile never gets Ctrl-C, not even before its own first line has run."""
    resource_tracker.ensure_running()  # comes with the first worker, and would let Ctrl-C in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _send(pipe: Connection, task: Any) -> None:
    try:
        pipe.send(task)
    except OSError as error:
        raise WorkerDiedError("a worker process was killed before it had its task") from error


def _receive(pipe: Connection) -> _Told | _Answer:
    try:
        said = pipe.recv()
    except (EOFError, OSError) as error:
        raise WorkerDiedError("a worker process was killed before it had answered") from error
    if isinstance(said, _Failed):
        raise said.error
    assert isinstance(said, _Told | _Answer)
    return said


def _serve(pipe: Connection, work: Callable[[Any, Tell], Any], begin: Callable[[], None]) -> None:
    """A worker's life: tasks from the pipe until it closes."""
    main = sys.modules["__main__"]
    if not hasattr(main, "__file__"):
        main.__file__ = ""  # else DuckDB takes the process for a notebook, and draws bars on stdout
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    begin()
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            said: Any = _Answer(work(task, lambda amount: pipe.send(_Told(amount))))
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
            error.add_note(f"in a worker process:\n{traceback.format_exc()}")
            said = _Failed(error)
        try:
            pipe.send(said)
        except (TypeError, ValueError, AttributeError) as error:  # it cannot be pickled
            pipe.send(_Failed(TypeError(f"a worker cannot hand over {said!r}: {error}")))


def _end_with(sentinel: int) -> None:
    """A worker whose parent is gone has nobody to work for."""
    wait([sentinel])
    os._exit(1)
