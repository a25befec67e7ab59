"""A run that does not come to its end says so, whatever ends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from events.errors import EvenhandError
from pipelines.night.context import Night
from pipelines.night.lineage import tell_fail


@contextmanager
def told_if_failed(nights: Sequence[Night]) -> Iterator[None]:
    """Around the work on these runs; `nights` may still grow meanwhile."""
    try:
        yield
    except BaseException as error:
        for night in nights:
            if not night.folder.record.exists():
                tell_failed(night, error)
        raise


def tell_failed(night: Night, error: BaseException | None) -> None:
    """The run's log and whoever follows its lineage: nothing of it was published, and why."""
    why = str(error) if isinstance(error, EvenhandError) else type(error).__name__
    why = why if error is not None else "a check held the day back"
    night.log.error("night.failed", why=why)
    tell_fail(night, why)
