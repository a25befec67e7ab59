"""`evenhand up`: Dagster's webserver and daemon on this machine, until Ctrl-C."""

from __future__ import annotations

import click

from pipelines.safe_text import say


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=3000, show_default=True)
def command(port: int) -> None:
    """Start Dagster's web UI and the daemon that runs schedule and sensors.

    Both listen on this machine only, because the UI has no login. Ctrl-C stops both.
    """
    from events.settings import load_settings
    from pipelines.dagster_defs.servers import run_servers

    run_servers(load_settings(), port, lambda text: say(text, err=True))
