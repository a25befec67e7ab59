"""Sensors: late events reopen a day; a failed run is told."""

from collections.abc import Iterator

import dagster as dg

from events.settings import load_settings
from pipelines.alerts.alert import failure_alert
from pipelines.alerts.keep import tell_kept
from pipelines.dagster_defs.schedule import (
    NIGHTLY,
    day_tags,
    first_day_known,
    under_way,
)
from pipelines.night.due import stale_days

EVERY_S = 30
BY_HAND = "evenhand/command"
"""Tag of runs whose command tells of their failure itself."""


@dg.sensor(
    job=NIGHTLY,
    minimum_interval_seconds=EVERY_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Runs a day again when it, or the day before, has changed since it was published.",
)
def late_events(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    home = load_settings().home
    busy = under_way(context.instance)
    first = first_day_known()
    found = stale_days(home)
    stale = [(day, now) for day, now in found if day not in busy and day >= first]
    for day, now in stale:
        yield dg.RunRequest(
            run_key=f"late-{day}-{now}", partition_key=day.isoformat(), tags=day_tags(day)
        )
    if not stale:
        yield dg.SkipReason("every published day is as the archive has it, or is being run")


@dg.run_failure_sensor(
    monitor_all_code_locations=True,
    minimum_interval_seconds=EVERY_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Tells whom the settings name of every run that failed.",
)
def failed_runs(context: dg.RunFailureSensorContext) -> None:
    run = context.dagster_run
    if run.tags.get(BY_HAND):
        return
    alert = failure_alert(
        run.tags.get("dagster/partition"), run.run_id, context.failure_event.message or ""
    )
    for sentence in tell_kept(load_settings(), run.run_id, alert):
        context.log.warning(sentence)


SENSORS = [late_events, failed_runs]
