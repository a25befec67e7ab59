"""Sensors: late events reopen a day; a failed run is told."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import dagster as dg

from events.archive.reader import Archive
from events.settings import load_settings
from pipelines.alerts.alert import failure_alert
from pipelines.alerts.notify import notifiers, notify
from pipelines.dagster_schedule import NIGHTLY, day_tags
from pipelines.night.before import went_on_from
from pipelines.warehouse.connect import connect_fresh
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.record import of_day_before

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
    stale = stale_days(home)
    for day, now in stale:
        yield dg.RunRequest(
            run_key=f"late-{day}-{now}", partition_key=day.isoformat(), tags=day_tags(day)
        )
    if not stale:
        yield dg.SkipReason("every published day is as the archive has it")


def stale_days(home: Path) -> list[tuple[date, str]]:
    """Published days that the archive has in a later revision, that were not complete then, or that
    went on from a day before which is not the same any more; with what they would be made of now.
    """
    warehouse = warehouse_of(home)
    if not warehouse.catalogue.exists() or not (home / "archive" / "journal.sqlite").exists():
        return []
    with connect_fresh(warehouse.catalogue) as db:
        rows = db.execute(
            "SELECT day, run, revision, complete, inputs FROM runs WHERE current ORDER BY day"
        ).fetchall()
    current = {day: run for day, run, *_ in rows}
    out = []
    with Archive(home / "archive") as archive:
        complete = set(archive.days(complete=True))
        for day, _, revision, was_complete, inputs in rows:
            if day not in complete:
                continue
            now, before = archive.revision(day), went_on_from(archive, warehouse, current, day)
            then = of_day_before(json.loads(inputs))
            if now != revision or not was_complete or before != then:
                told = "-".join([str(now), *(before[name][:12] for name in sorted(before))])
                out.append((day, told))
    return out


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
    for sentence in notify(alert, notifiers(load_settings())):
        context.log.warning(sentence)


SENSORS = [late_events, failed_runs]
