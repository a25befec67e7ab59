"""`evenhand up`: the whole house on this machine, until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import say

if TYPE_CHECKING:
    from events.settings import Settings

NAMES = ("ingest", "watch", "daemon", "webserver", "desk")


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Choice(["file", "kafka"]),
    help="Which log to follow: file, or kafka where --broker is given.",
)
@click.option("--broker", is_flag=True, help="Start the local Kafka broker too, and stop it after.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=3000,
    show_default=True,
    help="Of Dagster's web UI.",
)
@click.option(
    "--desk-port",
    type=click.IntRange(1, 65535),
    default=8765,
    show_default=True,
    help="Of the desk.",
)
@click.option(
    "--without", multiple=True, type=click.Choice(NAMES), help="Leave this one out; repeatable."
)
def command(
    source: str | None, broker: bool, port: int, desk_port: int, without: tuple[str, ...]
) -> None:
    """Run ingest, watch, Dagster's daemon and web UI, and the desk.

    Each is started again when it dies, and writes a log of its own under EVENHAND_HOME/logs.
    Everything listens on this machine only. Ctrl-C ends all of it in order; evenhand status says
    how it goes meanwhile.
    """
    from events.settings import load_settings
    from pipelines.dagster_defs.home import dagster_home, open_instance
    from pipelines.services.spec import services_of
    from pipelines.services.supervise import run_house

    settings = load_settings()
    source = source or ("kafka" if broker else "file")
    services = services_of(source, port, desk_port, without)
    home = settings.home.absolute()
    with open_instance(home):
        pass  # the databases are there before two servers look for them
    env = os.environ | {
        "DAGSTER_HOME": str(dagster_home(home)),
        "EVENHAND_HOME": str(home),
        "GX_ANALYTICS_ENABLED": "false",
    }
    with _broker(settings) if broker else contextlib.nullcontext():
        run_house(home, services, env, lambda text: say(text, err=True))


@contextlib.contextmanager
def _broker(settings: Settings) -> Iterator[None]:
    """The local broker: one that was running before goes on afterwards."""
    from events.log.kafka.log import open_kafka_log
    from pipelines.broker.server import Broker

    broker = Broker.of(settings)
    say(f"Kafka at {broker.address}: starting ...", err=True)
    ours = broker.start()
    try:
        open_kafka_log(settings).close()
        yield
    finally:
        if ours:
            broker.stop()
