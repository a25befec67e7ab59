"""Runs that were killed: Dagster goes on taking them for running, and waits for them.

A run holds the lock of its day from its first step to its end. One that Dagster calls started and
whose day nobody holds is dead; saying so lets the queue go on and the failed run be told.
"""

import time
from datetime import date
from pathlib import Path

import dagster as dg

from events.settings import load_settings
from pipelines.warehouse.errors import DayBusyError
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.locks import day_lock

BEGIN_S = 60.0
"""How long a run may take from being made to holding its lock."""
_UNDER_WAY = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


def bury_dead_runs(instance: dg.DagsterInstance, home: Path, now: float | None = None) -> list[str]:
    """Mark the dead runs as failed; their ids."""
    at = time.time() if now is None else now
    out = []
    for record in instance.get_run_records(dg.RunsFilter(statuses=_UNDER_WAY)):
        run = record.dagster_run
        day = run.tags.get("dagster/partition")
        young = at - record.create_timestamp.timestamp() < BEGIN_S
        if run.job_name == "nightly" and day and not young and _nobody_holds(home, day):
            instance.report_run_failed(run, "the run's process was killed; nothing was published")
            out.append(run.run_id)
    return out


def _nobody_holds(home: Path, day: str) -> bool:
    try:
        with day_lock(warehouse_of(home), date.fromisoformat(day)):
            return True
    except DayBusyError:
        return False


@dg.sensor(
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Marks runs as failed whose process was killed, so that the queue goes on.",
)
def dead_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    found = bury_dead_runs(context.instance, load_settings().home)
    return dg.SkipReason(f"{len(found)} runs were dead" if found else "no run is dead")
