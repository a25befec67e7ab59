"""`evenhand watch`: each round audited as it closes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from pipelines.cli.service_log import service_log
from pipelines.cli.stopping import stop_on_signals
from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger

    from events.log.base import Log
    from events.settings import Settings
    from pipelines.watch.outbox import Numbered


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Choice(["file", "kafka"]),
    default="file",
    show_default=True,
    help="Which log to follow.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option("--rounds", is_flag=True, help="Tell also how each round came out.")
@click.option(
    "--name",
    default="watch",
    show_default=True,
    help="Of this watcher; each has its own place in the log, and there may be several.",
)
@click.option("--once", is_flag=True, help="Stop where the log ends now.")
def command(source: str, as_json: bool, rounds: bool, name: str, once: bool) -> None:
    """Audit each round the moment it closes, and tell what is found.

    Goes on where it stopped, however it stopped. What a later event changes is told again, and
    what it makes untrue is told as withdrawn. Until Ctrl-C or SIGTERM.
    """
    from events.archive.ingest import source_of
    from events.settings import load_settings
    from pipelines.watch.alerting import WatchAlerts
    from pipelines.watch.board import WatchBoard
    from pipelines.watch.follow import Follower
    from pipelines.watch.outbox import WatchOutbox, outbox_file

    settings = load_settings()
    stop = stop_on_signals()
    words = service_log(settings, "watch")
    words.info("watch.begun", source=source, watcher=name)
    notice = partial(_notice, words)
    path = outbox_file(settings.home, _plain_name(name))
    log = _open_log(settings, source, notice)
    try:
        outbox = WatchOutbox(path)
        try:
            alerts = WatchAlerts(settings, notice)
            teller = _in_json if as_json else _in_words

            def tell(told: Sequence[Numbered]) -> None:
                alerts.hear(told)
                teller(told)

            board = WatchBoard(settings.home, name, source_of(log))
            try:
                follower = Follower(settings, log, outbox, tell, rounds=rounds, board=board)
                follower.run(follow=not once, stop=stop)
            finally:
                board.close()
                alerts.close()
        finally:
            outbox.close()
    finally:
        log.close()
        words.info("watch.ended", watcher=name)


def _plain_name(name: str) -> str:
    if not name.replace("-", "").replace("_", "").isalnum() or len(name) > 64:
        raise click.UsageError(f'--name: expected letters, digits, - and _, found "{name}"')
    return name


def _open_log(settings: Settings, source: str, notice: Callable[[str], None]) -> Log:
    if source == "file":
        from events.log.files.log import open_file_log

        return open_file_log(settings, on_warning=notice)
    from events.log.kafka.log import open_kafka_log

    return open_kafka_log(settings, notice)


def _in_json(told: Sequence[Numbered]) -> None:
    for n, word in told:
        sys.stdout.write(for_json(word.to_json() | {"told": n}) + "\n")
    sys.stdout.flush()


def _in_words(told: Sequence[Numbered]) -> None:
    for _, word in told:
        body = json.loads(word.body)
        if word.what == "round":
            say(f"{body['status']:<10} round {word.id}")
            continue
        head = "withdrawn" if word.what == "withdrawn" else body["severity"]
        rest = f" (open: {', '.join(word.open)})" if word.open else ""
        say(f"{head:<10} {body['message']}{rest} [{word.id}]")
    sys.stdout.flush()


def _notice(words: BoundLogger, text: str) -> None:
    words.warning("watch.notice", text=text)
