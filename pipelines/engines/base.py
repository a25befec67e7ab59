"""What an engine is.

`run` gives the answers of pure work in the order of its tasks. A task may run twice, on whatever
machine, so the work writes under a name of its attempt and renames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from events.errors import EvenhandError
from events.runtime.workers import Tell

T = TypeVar("T")
R = TypeVar("R")
LOCAL = "local"


class EngineError(EvenhandError):
    """An engine that is not there, does not answer, or can't run our code."""


class Engine(Protocol):
    """Runs tasks somewhere. `with` keeps what had to be started for one run for the next."""

    def run(
        self, work: Callable[[T, Tell], R], tasks: Sequence[T], told: Tell = ...
    ) -> list[R]: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def silent(amount: Any) -> None:
    """Nobody wants to hear of progress."""
