"""`evenhand nightly`: a gaming day from the archive to a published warehouse and its report."""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pipelines.nightly import Outcome


@click.command()
@click.option("--day", "day_text", metavar="DAY", help="[default: the last complete gaming day]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(day_text: str | None, as_json: bool) -> None:
    """Audit a gaming day: replay, findings, checks, report, warehouse.

    Exit code 0: clean. 1: findings of severity money or integrity that nobody waived. 2: the run
    failed, and what was published before stays as it was.
    """
    from events.days import parse_day
    from events.settings import load_settings
    from pipelines.nightly import last_complete_day, run_nightly

    settings = load_settings()
    day: date = parse_day(day_text) if day_text else last_complete_day(settings)
    outcome = run_nightly(settings, day)
    click.echo(
        json.dumps(outcome.to_json(), indent=1, ensure_ascii=False) if as_json else "", nl=as_json
    )
    if not as_json:
        _print(outcome)
    sys.exit(outcome.exit_code)


def _print(outcome: Outcome) -> None:
    for line in outcome.lines():
        click.echo(line)
