"""`evenhand demo`: the main job on made-up data, from an empty folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from events.archive.ingest import Taken
    from events.log.base import Log
    from events.log.kafka import KafkaLog
    from events.model import Envelope
    from events.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples" / "rounds"


@click.command()
@click.option("--kafka", is_flag=True, help="Through the Kafka broker instead of the file log.")
def command(kafka: bool) -> None:
    """Run the main job on made-up data, from an empty folder.

    One round of each rulebook goes through the log into an archive, which is then verified. All of
    it lies in a new folder under the current one, or in EVENHAND_HOME where that is set.
    """
    from events.settings import load_settings

    settings = load_settings({"home": _fresh_home()})
    with _broker(settings) if kafka else nullcontext():
        _run(settings, kafka=kafka)
    _print_next(settings)


def _run(settings: Settings, *, kafka: bool) -> None:
    rounds = _read_examples()
    log, where = _open_log(settings, kafka=kafka)
    try:
        sent = _send(log, [event for events in rounds.values() for event in events])
        taken = _ingest(settings, log)
    finally:
        log.close()
    click.echo(f"{len(rounds)} rounds, {sent} events, sent to the log: {where}")
    for name, events in rounds.items():
        click.echo(_line(name, events))
    _print_archive(settings, taken)


def _broker(settings: Settings) -> AbstractContextManager[None]:
    """The broker that answers, or one for as long as the demo lasts."""
    from pipelines.broker.server import some_broker

    return some_broker(settings, notice=lambda text: click.echo(text, err=True))


def _fresh_home() -> str:
    """EVENHAND_HOME where it is set, else a new folder; never one with somebody's data in it."""
    given = os.environ.get("EVENHAND_HOME")
    if given is None:
        names = (f"evenhand-demo{f'-{n}' if n > 1 else ''}" for n in range(1, 1000))
        return next(name for name in names if not Path(name).exists())
    if Path(given).exists() and any(Path(given).iterdir()):
        raise click.ClickException(
            f"EVENHAND_HOME is {given}, which is not empty; the demo begins from an empty folder: "
            f"unset EVENHAND_HOME, or set it to a folder that does not exist yet"
        )
    return given


def _read_examples() -> dict[str, list[Envelope]]:
    from events.errors import InputError
    from events.jsonl import read_lines

    rounds = {}
    for path in sorted(EXAMPLES.glob("*.jsonl")):
        with path.open("rb") as lines:
            rounds[path.stem] = list(read_lines(lines, path.name))
    if not rounds:
        raise InputError(f"{EXAMPLES}: expected example rounds, found none")
    return rounds


def _open_log(settings: Settings, *, kafka: bool) -> tuple[Log, str]:
    """The log, and where it is."""
    if kafka:
        log = _open_empty_topic(settings)
        return log, f"topic {log.topic} at {settings.kafka}"
    from events.log.file import open_file_log

    return open_file_log(settings, write=True), str(settings.log_folder)


def _open_empty_topic(settings: Settings) -> KafkaLog:
    """A topic without messages: made-up events never go among real ones."""
    from events.log.kafka import open_kafka_log

    for number in count(1):
        name = settings.topic if number == 1 else f"{settings.topic}.demo-{number}"
        log = open_kafka_log(replace(settings, topic=name, dead_topic=f"{name}.dead"))
        if not any(log.end().values()):
            break
        log.close()
    return log


def _send(log: Log, events: Iterable[Envelope]) -> int:
    """Number and chain the events as each table's gateway does, and append them."""
    from events.gateway import Gateway, heads_of

    heads = heads_of(log.read({}))
    gateways: dict[str, Gateway] = {}
    outgoing = []
    for e in events:
        if e.table is None or e.at is None or e.device is None:
            raise click.ClickException(f"an example lacks its table, time or device: {e.type}")
        if e.table not in gateways:
            gateways[e.table] = Gateway(e.table, heads.get(e.table))
        outgoing.append(gateways[e.table].send(e.event, at=e.at, device=e.device, round_=e.round))
    log.append(outgoing)
    return len(outgoing)


def _ingest(settings: Settings, log: Log) -> Taken:
    from events.archive.ingest import ingest
    from events.archive.writer import ArchiveWriter

    with ArchiveWriter(
        settings.home / "archive", settings.gaming_day, codec=settings.codec
    ) as archive:
        return ingest(log, archive)


def _line(name: str, events: list[Envelope]) -> str:
    """One round as the table recorded it."""
    from events.model import BetPlaced, BetSettled

    placed = sum(e.event.amount for e in events if isinstance(e.event, BetPlaced))
    settled = [e.event for e in events if isinstance(e.event, BetSettled)]
    back = sum(s.stake_returned + s.winnings for s in settled)
    round_ = next(e.round for e in events if e.round)
    return (
        f"  {round_:<26} {name:<27} {len(events):>3} events, {len(settled)} bets settled, "
        f"placed {_money(placed)}, paid back {_money(back)}"
    )


def _money(cents: int) -> str:
    return f"{cents // 100:,}.{cents % 100:02d}"


def _print_archive(settings: Settings, taken: Taken) -> None:
    from events.archive.reader import Archive
    from events.archive.verify import verify

    with Archive(settings.home / "archive") as archive:
        report = verify(archive)
    click.echo(f"archived: {taken.events} events, {taken.quarantined} in quarantine")
    for day in report.days:
        click.echo(f"  gaming day {day.day}: {day.events} events, {', '.join(day.verdicts)}")
    intact = sum(not t.breaks for t in report.tables)
    click.echo(f"  chain intact on {intact} of {len(report.tables)} tables")


def _print_next(settings: Settings) -> None:
    home = os.path.relpath(settings.home)
    click.echo("where to look next:")
    for text in (
        f"ls {home}/archive/*/                    evidence, columns, index and manifest of the day",
        f"EVENHAND_HOME={home} evenhand verify    rebuild and compare all of it",
        f"evenhand replay {os.path.relpath(EXAMPLES)}/pontoon-plus-rws-v5.jsonl",
        f"EVENHAND_HOME={home}-big evenhand simulate --tables 10 --rounds 100    a bigger floor",
    ):
        click.echo(f"  {text}")
