"""`evenhand config`: the settings in force, and where each value comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pipelines.safe_text import for_json, say


@click.command(name="config")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--markdown", is_flag=True, help="Print the documentation, as in docs/settings.md.")
def command(as_json: bool, markdown: bool) -> None:
    """Show the settings in force and where each value comes from.

    A flag goes before an EVENHAND_* variable, that before the file evenhand.toml (the one in the
    home folder, else the one in the current folder), and that before the default.
    """
    from events.settings import load_settings, settings_file
    from events.settings.doc import settings_markdown

    if markdown:
        click.echo(settings_markdown(), nl=False)
        return
    settings = load_settings()
    file = settings_file(settings.home, Path.cwd())
    rows = {
        name: {"value": settings.plain(name), "from": origin}
        for name, origin in settings.origins.items()
    }
    if as_json:
        click.echo(for_json({"file": str(file) if file else None, "settings": rows}, indent=2))
        return
    say(f"settings file: {file or 'none'}")
    width = max(map(len, rows))
    for name, row in rows.items():
        say(f"{name:{width}}  {_text(row['value'])}  ({row['from']})")


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, dict) else str(value)
