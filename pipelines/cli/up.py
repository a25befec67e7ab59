"""`evenhand up`: the whole house on this machine, until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pipelines.cli.service_log import service_log
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
        "EVENHAND_LOG_HOUSE": settings.log_house or secrets.token_hex(4),
        "GX_ANALYTICS_ENABLED": "false",
    }
    words = HouseWords(replace(settings, log_house=env["EVENHAND_LOG_HOUSE"]))
    with _broker(settings, words) if broker else contextlib.nullcontext():
        run_house(home, services, env, words)


class HouseWords:
    """What happens in the house: sentences on a terminal, lines of a log elsewhere."""

    def __init__(self, settings: Settings) -> None:
        self._log = service_log(settings, "up")
        self._for_people = settings.log_form == "auto" and sys.stderr.isatty()

    def __call__(self, event: str, text: str, **facts: Any) -> None:
        if self._for_people:
            say(text, err=True)
        else:
            tell = self._log.warning if event == "service.ended" else self._log.info
            tell(event, text=text, **facts)


@contextlib.contextmanager
def _broker(settings: Settings, words: HouseWords) -> Iterator[None]:
    """The local broker: one that was running before goes on afterwards."""
    from events.log.kafka.log import open_kafka_log
    from pipelines.broker.server import Broker

    broker = Broker.of(settings)
    text = f"Kafka at {broker.address}: starting ..."
    words("broker.starting", text, address=broker.address)
    ours = broker.start()
    try:
        open_kafka_log(settings).close()
        yield
    finally:
        if ours:
            broker.stop()
