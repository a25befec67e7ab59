"""One call of the night in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from events.runtime.workers import Tell, WorkerDiedError, spread
from pipelines.engines.local import KILLED, as_worker
from pipelines.warehouse.errors import TransientError

T = TypeVar("T")
_APART: ContextVar[bool] = ContextVar("apart", default=False)


@contextmanager
def in_this_process() -> Iterator[None]:
    """For whoever is a worker of an engine already: such a process may start no other."""
    before = _APART.set(True)
    try:
        yield
    finally:
        _APART.reset(before)


def in_another_process(work: Callable[..., T], *args: Any) -> T:
    """One call in a process that ends with it."""
    if _APART.get():
        return work(*args)
    try:
        (answer,) = spread(_call, [(work, args)], 1, method="forkserver", begin=as_worker())
    except WorkerDiedError as error:
        raise TransientError(KILLED) from error
    return answer  # type: ignore[no-any-return]


def _call(call: tuple[Callable[..., Any], tuple[Any, ...]], _: Tell) -> Any:
    work, args = call
    return work(*args)
