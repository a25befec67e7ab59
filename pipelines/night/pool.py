"""One call of the night in a process of its own, which may be started before it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

from events.runtime.workers import Tell, WorkerDiedError, spread, started_early
from pipelines.engines.local import KILLED, as_worker, serve_workers_of_the_night
from pipelines.warehouse.errors import TransientError

T = TypeVar("T")
_Call = tuple[Callable[..., Any], tuple[Any, ...]]
_EARLY: ContextVar[list[Callable[[_Call], Any]]] = ContextVar("early")
_APART: ContextVar[bool] = ContextVar("apart", default=False)


@contextmanager
def in_this_process() -> Iterator[None]:
    """For whoever is a worker of an engine already: such a process may start no other."""
    before = _APART.set(True)
    try:
        yield
    finally:
        _APART.reset(before)


@contextmanager
def one_more_process(begin: Callable[[], None]) -> Iterator[None]:
    """Inside, the first call goes to a process that has been preparing itself since: the library
    of the suites takes seconds to import, which the audit then does not wait for."""
    serve_workers_of_the_night()
    try:
        ready = partial(_prepare, as_worker(), begin)
        with started_early(_call, method="forkserver", begin=ready) as ask:
            before = _EARLY.set([ask])
            try:
                yield
            finally:
                _EARLY.reset(before)
    except WorkerDiedError as error:
        raise TransientError(KILLED) from error


def in_another_process(work: Callable[..., T], *args: Any) -> T:
    """One call in a process that ends with it."""
    if _APART.get():
        return work(*args)
    early = _EARLY.get([])
    try:
        if early:
            return early.pop()((work, args))  # type: ignore[no-any-return]
        (answer,) = spread(_call, [(work, args)], 1, method="forkserver", begin=as_worker())
    except WorkerDiedError as error:
        raise TransientError(KILLED) from error
    return answer  # type: ignore[no-any-return]


def _prepare(*some: Callable[[], None]) -> None:
    for begin in some:
        begin()


def _call(call: _Call, _: Tell) -> Any:
    work, args = call
    return work(*args)
