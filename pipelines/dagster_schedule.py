"""The job of the night, and when it runs by itself."""

from datetime import UTC, date, datetime, timedelta

import dagster as dg

from events.settings import Settings, load_settings
from pipelines.dagster_assets import ASSETS

NIGHTLY = dg.define_asset_job(
    "nightly",
    selection=dg.AssetSelection.assets(*ASSETS),
    description="A gaming day from the archive to a published warehouse.",
    executor_def=dg.in_process_executor,  # the replay starts processes of its own
)


def day_tags(day: date) -> dict[str, str]:
    """Tags of a run of a day. Those of the rulebooks' fingerprints come with the publication."""
    return {"evenhand/day": day.isoformat()}


def last_day_over(settings: Settings, at: datetime) -> date:
    """The gaming day that ended last."""
    return settings.gaming_day.day_of(at.astimezone(UTC)) - timedelta(days=1)


def night_schedule(settings: Settings) -> dg.ScheduleDefinition:
    """Every day at the hour of the settings, for the gaming day that is over."""
    at = settings.night_at

    @dg.schedule(
        name="every_night",
        job=NIGHTLY,
        cron_schedule=f"{at.minute} {at.hour} * * *",
        execution_timezone=settings.timezone.key,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Runs the gaming day that is over.",
    )
    def every_night(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
        day = last_day_over(settings, context.scheduled_execution_time)
        return dg.RunRequest(
            run_key=f"night-{day}", partition_key=day.isoformat(), tags=day_tags(day)
        )

    return every_night


SCHEDULES = [night_schedule(load_settings())]
