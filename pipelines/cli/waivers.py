"""`evenhand waivers`: what was accepted, by whom, and until when."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from pipelines.safe_text import for_json, say, terminal


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One list of objects.")
def command(as_json: bool) -> None:
    """List every waiver that was ever given, and whether it still holds."""
    from checks.waivers import FILE_NAME, in_force, load_waivers
    from events.settings import load_settings

    settings = load_settings()
    today = datetime.now(UTC).astimezone(settings.timezone).date()
    waivers = load_waivers(settings.home / FILE_NAME)
    if as_json:
        told = [w.to_json() | {"in_force": in_force(w, today)} for w in waivers]
        click.echo(for_json(told, indent=2))
        return
    if not waivers:
        say("nothing was waived")
        return
    from pipelines.tables import columns, print_table

    heads = columns(
        "waiver", "finding", "until", "by", "reason", folds=("until", "by"), sentences=("reason",)
    )
    rows = []
    for w in waivers:
        until = f"{w.until}" if in_force(w, today) else f"{w.until} (over)"
        rows.append((w.id, w.finding, until, w.by, w.reason))
    print_table(terminal(), heads, rows)
