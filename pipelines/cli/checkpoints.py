"""`evenhand checkpoints`: each table's chain heads, for keeping where nobody here can write."""

from __future__ import annotations

import click

from pipelines.safe_text import for_terminal, safe_json, say


@click.command(name="checkpoints")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line; verify reads it.")
@click.option("--all", "every", is_flag=True, help="All that were written, not each table's last.")
@click.option("--now", is_flag=True, help="First write one for every table of the file log.")
def command(as_json: bool, every: bool, now: bool) -> None:
    """Print each table's chain heads, for keeping elsewhere.

    Keep what --json prints where nobody who can write to this log can: evenhand verify
    --checkpoints FILE then notices a chain that was cut short or written anew. With --all the copy
    has every seal, and evenhand evidence --verify can hold any round's evidence against it.
    """
    from events.checkpoints import checkpoint_now, latest, load_checkpoints, to_line
    from events.log.files.log import open_file_log
    from events.settings import load_settings

    settings = load_settings()
    path = settings.checkpoints_file
    if now:
        log = open_file_log(settings)
        checkpoint_now(path, lambda: log.read({}))
        for warning in dict.fromkeys(log.warnings):
            say(f"evenhand: {warning}", err=True)
    found = load_checkpoints(path, quarantine=True)
    shown = found if every else list(latest(found).values())
    if not shown:
        say(
            f"evenhand: no checkpoints in {path} yet: they are written when a segment closes and "
            f"when a gaming day ends; --now writes one",
            err=True,
        )
    for c in shown:
        at = f"{c.at:%Y-%m-%d %H:%M:%S} UTC"
        plain = f"{c.table}  event {c.seq}  {c.head.hex()}  {at}  {c.reason}"
        if c.seal is not None:
            plain += f"  seals {c.first} to {c.seq}  {c.seal.hex()}"
        click.echo(safe_json(to_line(c)) if as_json else for_terminal(plain))
