"""`evenhand retention`: what has been kept for longer than the settings ask, and taking it away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from events.settings import Settings
    from pipelines.services.retention import Beyond

_SHOWN = 20


@click.command()
@click.option("--apply", "apply", is_flag=True, help="Take it away; else it is only said.")
@click.option(
    "--backups",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Look at the backups in this folder too.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(apply: bool, backups: Path | None, as_json: bool) -> None:
    """Say what is older than its kind has to be kept, and with --apply delete it.

    Kinds: runs that another one took the place of, what watch told, logs, Dagster's records of
    runs, backups. Evidence, quarantine, checkpoints, decisions of people and the run that counts
    for a day are never deleted.
    """
    from events.settings import load_settings
    from pipelines.services.retention import beyond_retention

    settings = load_settings()
    found = [*beyond_retention(settings, backups=backups), _dagster(settings)]
    if apply:
        for one in found:
            if one.what:
                one.remove()
    if as_json:
        kinds = {one.kind: {"days": one.days, "beyond": list(one.what)} for one in found}
        click.echo(for_json({"deleted": apply, "kinds": kinds}, indent=1))
        return
    for one in found:
        _print(one, done=apply)


def _dagster(settings: Settings) -> Beyond:
    from pipelines.services.retention import Beyond

    days = settings.dagster_retention_days
    if not (settings.home / "dagster" / "made").exists():
        return Beyond("dagster", days, (), lambda: None)
    from pipelines.dagster_defs.home import open_instance
    from pipelines.dagster_defs.old_runs import forget_runs, runs_before

    with open_instance(settings.home) as instance:
        old = runs_before(instance, datetime.now(UTC) - timedelta(days=days))

    def remove() -> None:
        with open_instance(settings.home) as instance:
            forget_runs(instance, old)

    return Beyond("dagster", days, tuple(old), remove)


def _print(one: Beyond, *, done: bool) -> None:
    if not one.what:
        say(f"{one.kind}: nothing is older than {one.days:,} days")
        return
    verdict = "deleted" if done else "would go with --apply"
    say(f"{one.kind}: {len(one.what):,} older than {one.days:,} days, {verdict}")
    for what in one.what[:_SHOWN]:
        say(f"  {what}")
    if len(one.what) > _SHOWN:
        say(f"  and {len(one.what) - _SHOWN:,} more; --json lists all")
