"""Work for bench/engine.py, in a module of its own because it is imported where an engine runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from events.runtime.workers import Tell
from pipelines.engines.base import Engine, silent


@dataclass(frozen=True, slots=True)
class TimedTask:
    """A task of somebody's, and the work that it is for."""

    work: Callable[..., Any]
    task: Any

    @property
    def events(self) -> int:
        return int(getattr(self.task, "events", 0))


def timed(one: TimedTask, tell: Tell) -> tuple[float, Any]:
    """The answer, and the processor time of this process that it cost."""
    begun = time.process_time()
    answer = one.work(one.task, tell)
    return time.process_time() - begun, answer


@dataclass(slots=True)
class TimedEngine(AbstractContextManager["TimedEngine"]):
    """An engine that notes what is spent inside the work, by the name of the work."""

    engine: Engine
    inside: dict[str, float] = field(default_factory=dict)
    tasks: dict[str, int] = field(default_factory=dict)

    def run(self, work: Callable[..., Any], tasks: Sequence[Any], told: Tell = silent) -> list[Any]:
        done = self.engine.run(timed, [TimedTask(work, task) for task in tasks], told)
        name = work.__name__
        self.inside[name] = self.inside.get(name, 0.0) + sum(spent for spent, _ in done)
        self.tasks[name] = self.tasks.get(name, 0) + len(tasks)
        return [answer for _, answer in done]

    def __enter__(self) -> Self:
        self.engine.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.engine.__exit__(kind, error, trace)
