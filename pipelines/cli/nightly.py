"""`evenhand nightly`: a gaming day from the archive to a published warehouse and its report."""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import click

from pipelines.cli.service_log import night_log
from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from events.settings import Settings
    from pipelines.dagster_defs.in_process import NightOutcome


@click.command()
@click.option("--day", "day_text", metavar="DAY", help="[default: the last complete gaming day]")
@click.option("--due", is_flag=True, help="Every day that is over and not audited as it stands.")
@click.option("--engine", metavar="E", help="Where the audit runs: local, spark://..., sc://...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(day_text: str | None, due: bool, engine: str | None, as_json: bool) -> None:
    """Audit a gaming day: replay, findings, checks, report, warehouse.

    With --due every day of the archive that is over and not audited as the archive now has it, one
    after the other; a day that fails holds back no other.

    Exit code 0: clean. 1: findings of severity money or integrity that nobody waived. 2: the run
    failed, and what was published before stays as it was.
    """
    from events.days import parse_day
    from events.settings import load_settings
    from pipelines.dagster_defs.in_process import last_complete_day, run_nightly

    if engine is not None:
        os.environ["EVENHAND_ENGINE"] = engine  # the job reads its settings itself
    settings = load_settings()
    night_log(settings)
    if due:
        if day_text:
            raise click.UsageError("--day and --due: expected one of them, found both")
        sys.exit(_run_due(settings, as_json=as_json))
    day: date = parse_day(day_text) if day_text else last_complete_day(settings)
    outcome = run_nightly(settings, day)
    click.echo(for_json(outcome.to_json(), indent=1) if as_json else "", nl=as_json)
    if not as_json:
        _print(outcome)
    sys.exit(outcome.exit_code)


def _run_due(settings: Settings, *, as_json: bool) -> int:
    """Run what is due in the order of the days; a day may become due by the one before it."""
    from events.archive.reader import Archive
    from events.errors import EvenhandError
    from pipelines.dagster_defs.in_process import run_nightly
    from pipelines.night.due import due_days

    with Archive(settings.home / "archive"):
        pass  # without one nobody can say that nothing is due
    outcomes: list[NightOutcome] = []
    failed: dict[date, str] = {}
    done: set[date] = set()
    while left := [day for day, _ in due_days(settings.home) if day not in done]:
        done.add(left[0])
        try:
            outcomes.append(run_nightly(settings, left[0]))
        except EvenhandError as error:
            failed[left[0]] = str(error)
            say(f"evenhand: {error}", err=True)
            continue
        if not as_json:
            _print(outcomes[-1])
    code = 2 if failed else max((outcome.exit_code for outcome in outcomes), default=0)
    if as_json:
        told = {
            "exit_code": code,
            "days": [outcome.to_json() for outcome in outcomes],
            "failed": [{"day": str(day), "error": why} for day, why in failed.items()],
        }
        click.echo(for_json(told, indent=1))
    elif not done:
        _tell_silent(settings)
        click.echo("nothing is due: every day that is over is audited as the archive has it")
    return code


def _tell_silent(settings: Settings) -> None:
    """A day that is over and of which nothing came is not passed over without a word."""
    from pipelines.night.due import published_days, silent_on

    day = settings.gaming_day.day_of(datetime.now(UTC)) - timedelta(days=1)
    silent = [] if day in published_days(settings.home) else silent_on(settings.home, day)
    if silent:
        some = ", ".join(silent[:3]) + (" ..." if len(silent) > 3 else "")
        say(
            f"evenhand: nothing has come of {day}, although {len(silent)} tables were not closed "
            f"or are expected ({some}): evenhand nightly --day {day} tells of them",
            err=True,
        )


def _print(outcome: NightOutcome) -> None:
    for line in outcome.lines():
        say(line)
