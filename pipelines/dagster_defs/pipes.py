"""`evenhand reaudit` started by Dagster on another machine: it tells the run there what came of it.

Dagster's side is whichever Pipes client a house has (a process, Kubernetes, Databricks, EMR);
examples/reaudit_by_pipes.py shows one. Nothing of Dagster itself is needed on this side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipelines.night.reaudit import Reaudit

_STARTED_BY_PIPES = "DAGSTER_PIPES_CONTEXT"


class PipesListener:
    """Dagster's run, as far as this process can speak to it."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def say(self, text: str) -> None:
        self._context.log.info(text)

    def done(self, done: Reaudit) -> None:
        """The asset is there; what differs from what was published stands beside it."""
        known = done.to_json()
        days = known.pop("days")
        counts = {name: n for name, n in known.items() if isinstance(n, int)}
        rest = {name: said for name, said in known.items() if name not in counts}
        self._context.report_asset_materialization(
            metadata={
                "days": len(days),
                **counts,
                "day by day": {"raw_value": days, "type": "json"},
                "period": {"raw_value": rest, "type": "json"},
            }
        )


@contextmanager
def heard_by_pipes(tell: Callable[[str], None]) -> Iterator[PipesListener | None]:
    """Whoever started this process by Pipes; None where nobody did."""
    if _STARTED_BY_PIPES not in os.environ:
        yield None
        return
    try:
        from dagster_pipes import open_dagster_pipes
    except ImportError:
        tell("started by Dagster Pipes, but dagster-pipes is not installed: nothing is reported")
        yield None
        return
    with open_dagster_pipes() as context:
        yield PipesListener(context)
