"""What the assets of one Dagster run share: the run's folder, and the lock on its day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import date
from typing import Any

import dagster as dg
from pydantic import PrivateAttr

from events.errors import EvenhandError
from events.runtime import logs
from events.settings import load_settings
from pipelines.night.context import Night, begin
from pipelines.night.failing import tell_failed
from pipelines.warehouse.errors import TransientError, WarehouseError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.locks import day_lock

PROGRESS: ContextVar[Callable[[int], None]] = ContextVar("progress", default=lambda events: None)
"""Who is told of events done; a command with a bar on the terminal sets it."""


class NightResource(dg.ConfigurableResource[Any]):
    """Opens a run's folder once, and holds the day's lock until the run ends in any way."""

    _stack: ExitStack = PrivateAttr(default_factory=ExitStack)
    _nights: dict[date, Night] = PrivateAttr(default_factory=dict)
    _error: Exception | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[NightResource]:
        with ExitStack() as stack:
            self._stack, self._nights, self._error = stack, {}, None
            yield self
            for night in self._nights.values():
                if not night.folder.record.exists():
                    tell_failed(night, self._error)

    @contextmanager
    def said_clearly(self) -> Iterator[None]:
        """Around the work of one asset: what it raises is told at the end of the run, too."""
        with said_clearly():
            try:
                yield
            except Exception as error:
                self._error = error
                raise

    def begin(self, context: dg.AssetExecutionContext) -> Night:
        """A new folder for a new run."""
        day, settings = _day_of(context), load_settings()
        self._stack.enter_context(day_lock(warehouse_of(settings.home), day))
        night = begin(settings, day, context.run.run_id, context.run.run_id)
        self._nights[day] = night
        return night

    def of(self, context: dg.AssetExecutionContext) -> Night:
        """The folder that the run, or the one it goes on from, has begun."""
        day = _day_of(context)
        if day in self._nights:
            return self._nights[day]
        settings = load_settings()
        warehouse = warehouse_of(settings.home)
        self._stack.enter_context(day_lock(warehouse, day))
        runs = [context.run.run_id, context.run.parent_run_id, context.run.root_run_id]
        for folder in warehouse.run_folders(day):
            known = any(r and folder.run.endswith(r[:8]) for r in runs)
            if known and not folder.record.exists():
                self._nights[day] = Night(settings, folder, context.run.run_id)
                logs.keep_runs(settings.home, settings.log_level)
                return self._nights[day]
        raise WarehouseError(
            f"day {day}: the files of the run that this one goes on from are gone; run the whole "
            f"day again"
        )


def _day_of(context: dg.AssetExecutionContext) -> date:
    return date.fromisoformat(context.partition_key)


@contextmanager
def said_clearly() -> Iterator[None]:
    """Our own sentences as Dagster shows them; only what may pass by itself is tried again."""
    try:
        yield
    except TransientError as error:
        raise dg.Failure(str(error)) from error
    except EvenhandError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
