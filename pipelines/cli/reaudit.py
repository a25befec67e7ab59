"""`evenhand reaudit`: many days audited again in one job, published together or not at all."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pipelines.cli.period import parse_period
from pipelines.cli.service_log import night_log
from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from pipelines.night.reaudit import Reaudit


@click.command()
@click.option("--from", "first", required=True, metavar="DAY", help="First gaming day.")
@click.option("--to", "last", required=True, metavar="DAY", help="Last gaming day.")
@click.option("--reading", "readings", multiple=True, metavar="ID=other", help="Read otherwise.")
@click.option("--rulebook", "book", metavar="ID", help="Only days on which this one was played.")
@click.option("--engine", metavar="E", help="Where it runs: local, spark://..., sc://...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(
    first: str,
    last: str,
    readings: tuple[str, ...],
    book: str | None,
    engine: str | None,
    as_json: bool,
) -> None:
    """Audit every day of a period again, after a rule, a reading or the program has changed.

    What is published stays as it is until all days are done; then all new runs count at once. A
    reading given here holds for these runs; put it into the settings so that the next nights
    follow it too. Exit codes as of nightly; started by Dagster Pipes it tells Dagster what came of
    it, and findings are no failure.
    """
    from events.settings import load_settings
    from pipelines.dagster_defs.pipes import heard_by_pipes
    from pipelines.night.reaudit import reaudit

    days = parse_period(first, last)
    flags: dict[str, Any] = {"engine": engine}
    if readings:
        flags["readings"] = dict(load_settings().readings) | _turned(readings)
    settings = load_settings(flags)
    night_log(settings)
    with heard_by_pipes(_tell) as pipes:
        done = reaudit(settings, days, book, say=_tell if pipes is None else pipes.say)
        if pipes is not None:
            pipes.done(done)
    if as_json:
        click.echo(for_json(done.to_json(), indent=1))
    else:
        _print(done, first, last)
    sys.exit(1 if done.open and pipes is None else 0)


def _turned(readings: tuple[str, ...]) -> dict[str, str]:
    from pipelines.cli.replay import turned_readings

    known = turned_readings(readings)  # refuses what the register does not have
    told = dict(text.split("=", 1) for text in readings)
    return {name: "other" if name in known else "default" for name in told}


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        say(text, err=True)


def _print(done: Reaudit, first: str, last: str) -> None:
    from replay.findings import dollars

    say(f"{first} to {last}: {len(done.days)} days audited again and published together")
    for day in done.days:
        n = {name: day.changes[name]["count"] for name in ("new", "gone", "changed")}
        say(
            f"  {day.day}  {day.rounds:,} rounds, {day.summary.findings:,} findings: "
            f"{n['new']:,} new, {n['gone']:,} gone, {n['changed']:,} changed"
        )
    was, now = done.money(before=True), done.money(before=False)
    for currency in sorted({*was, *now}):
        old = was.get(currency, {"overpaid": 0, "underpaid": 0})
        new = now.get(currency, {"overpaid": 0, "underpaid": 0})
        name = f"{currency} " if currency else ""
        say(
            f"  {name}paid too much {dollars(new['overpaid'])} (was {dollars(old['overpaid'])}), "
            f"too little {dollars(new['underpaid'])} (was {dollars(old['underpaid'])})"
        )
    for text, days in (
        ("no activity", done.empty),
        ("not played on, left as they are", done.passed_over),
    ):
        if days:
            say(f"  {text}: {', '.join(map(str, days))}")
