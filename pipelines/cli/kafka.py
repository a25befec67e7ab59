"""`evenhand kafka start|stop|status`: the local broker, and how far the archive is behind it."""

from __future__ import annotations

import sys

import click

from events.settings import load_settings
from pipelines.safe_text import for_json, say


@click.group()
def command() -> None:
    """Start, stop or look at the local Kafka broker.

    One real Apache Kafka node on this machine, reachable from this machine only, with its data
    under EVENHAND_HOME/kafka. EVENHAND_KAFKA says at which port. It needs Java 17; Maven fetches
    the jars the first time.
    """


_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")


@command.command()
@_as_json
def start(as_json: bool) -> None:
    """Start the broker, wait until it answers and make the topics."""
    from events.log.kafka.log import open_kafka_log
    from pipelines.broker.server import Broker

    settings = load_settings()
    broker = Broker.of(settings)
    if not as_json:
        say(f"Kafka at {broker.address}: starting, usually 10 seconds ...", err=True)
    started = broker.start()
    open_kafka_log(settings).close()
    if as_json:
        facts = {"address": broker.address, "pid": broker.pid(), "started": started}
        click.echo(for_json(facts | {"log_file": str(broker.log_file)}))
    else:
        how = "started" if started else "was running already"
        say(f"Kafka at {broker.address}: {how} (process {broker.pid()})")


@command.command()
@_as_json
def stop(as_json: bool) -> None:
    """Stop the broker that was started here. Its data stays."""
    from pipelines.broker.server import Broker

    broker = Broker.of(load_settings())
    pid = broker.pid()
    stopped = broker.stop()
    if as_json:
        click.echo(for_json({"address": broker.address, "pid": pid, "stopped": stopped}))
    elif stopped:
        say(f"Kafka at {broker.address}: stopped (process {pid})")
    else:
        say(f"Kafka at {broker.address}: none was running that was started here")


@command.command()
@_as_json
def status(as_json: bool) -> None:
    """Show whether the broker answers, its topics, and the archive's lag per partition.

    Exit code 0 where a broker answers, 1 where none does.
    """
    from pipelines.broker.status import look, show

    found = look(load_settings())
    if as_json:
        click.echo(for_json(found.plain()))
    else:
        show(found)
    sys.exit(0 if found.answers else 1)
