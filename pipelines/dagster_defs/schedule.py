"""The job of the night, and when it runs by itself."""

from datetime import UTC, date, datetime, timedelta

import dagster as dg

from events.settings import Settings, load_settings
from pipelines.dagster_defs.assets import ASSETS, DAYS
from pipelines.night.due import due_days

NIGHTLY = dg.define_asset_job(
    "nightly",
    selection=dg.AssetSelection.assets(*ASSETS),
    description="A gaming day from the archive to a published warehouse.",
    executor_def=dg.in_process_executor,  # the replay starts processes of its own
)

DAY_TAG = "evenhand/day"
NOT_ENDED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]


def day_tags(day: date) -> dict[str, str]:
    """Tags of a run of a day. Those of the rulebooks' fingerprints come with the publication."""
    return {DAY_TAG: day.isoformat()}


def under_way(instance: dg.DagsterInstance) -> set[date]:
    """Days that a run is auditing at this moment or is about to: nobody asks for them twice, and
    what came meanwhile makes the day due again when that run has ended."""
    runs = instance.get_runs(dg.RunsFilter(job_name=NIGHTLY.name, statuses=NOT_ENDED))
    return {date.fromisoformat(run.tags[DAY_TAG]) for run in runs if DAY_TAG in run.tags}


def first_day_known() -> date:
    """Where the partitions begin. Earlier days that came since are run by `evenhand nightly --due`,
    and by Dagster once it has loaded its definitions anew."""
    return DAYS.start.date()


def last_day_over(settings: Settings, at: datetime) -> date:
    """The gaming day that ended last."""
    return settings.gaming_day.day_of(at.astimezone(UTC)) - timedelta(days=1)


def night_schedule(settings: Settings) -> dg.ScheduleDefinition:
    """Every day at the hour of the settings: the gaming day that is over, also where nothing came
    of it, and every other day that is due."""
    at = settings.night_at

    @dg.schedule(
        name="every_night",
        job=NIGHTLY,
        cron_schedule=f"{at.minute} {at.hour} * * *",
        execution_timezone=settings.timezone.key,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Runs the gaming day that is over, and every day that is due.",
    )
    def every_night(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest]:
        last = last_day_over(settings, context.scheduled_execution_time)
        wanted = {day: f"due-{day}-{state}" for day, state in due_days(settings.home)}
        wanted[last] = f"night-{last}"
        busy = under_way(context.instance)
        first = first_day_known()
        return [
            dg.RunRequest(run_key=key, partition_key=day.isoformat(), tags=day_tags(day))
            for day, key in sorted(wanted.items())
            if day not in busy and day >= first
        ]

    return every_night


SCHEDULES = [night_schedule(load_settings())]
