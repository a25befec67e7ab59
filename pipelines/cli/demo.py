"""`evenhand demo`: the main job on made-up data, from an empty folder."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import say

if TYPE_CHECKING:
    import pyarrow as pa

    from events.archive.ingest import Taken
    from events.log.base import Log
    from events.log.kafka.log import KafkaLog
    from events.settings import Settings

TABLES, ROUNDS, FAULTS, SEED = 20, 120, 0.02, 7
NOBODYS_DATA = ("kafka", "evenhand.toml")
"""What may lie in the home before: the local broker's folder, and settings."""


@click.command()
@click.option("--kafka", is_flag=True, help="Through the Kafka broker instead of the file log.")
@click.option("--desk", is_flag=True, help="Then serve the desk over it, and open it in a browser.")
@click.option("--day", "day_text", metavar="DAY", help="[default: the gaming day that ended last]")
def command(kafka: bool, desk: bool, day_text: str | None) -> None:
    """Run the main job on made-up data, from an empty folder.

    Twenty tables play a part of a gaming day with faults planted; the day goes through the log into
    an archive, and the night audits it. All of it lies in a new folder under the current one, or in
    EVENHAND_HOME where that is set. The same day gives the same figures everywhere.
    """
    from events.days import parse_day
    from events.settings import load_settings
    from pipelines.cli.simulate import last_day_over
    from pipelines.dagster_defs.in_process import run_nightly

    settings = load_settings({"home": _fresh_home()})
    day = parse_day(day_text) if day_text else last_day_over(settings)
    with _broker(settings) if kafka else nullcontext():
        _play(settings, day, kafka=kafka)
    say("running the night ...")
    outcome = run_nightly(settings, day, "demo")
    for line in outcome.lines():
        say(line)
    found = outcome.findings()
    _print_findings(found)
    _print_next(settings, found)
    if desk:
        from pipelines.cli.desk import serve

        serve(settings, "127.0.0.1", 0, open_browser=True)


def _play(settings: Settings, day: date, *, kafka: bool) -> None:
    """A floor plays into the log; what the log has goes into the archive."""
    from events.devices.deliver import deliver
    from events.devices.floor import default_floor
    from events.registry import add_tables
    from pipelines.cli.simulate import order_of, tables_to_register

    floor = default_floor()
    order = order_of(
        settings,
        tables=TABLES,
        day=day,
        seed=SEED,
        rounds=ROUNDS,
        irregularities=floor.day.irregularities,
        faults=FAULTS,
    )
    order = replace(order, signed=True, keys_are_kept=True)
    listed = tables_to_register(settings, order, floor)
    say(f"{TABLES} tables play {ROUNDS} rounds each ...")
    log, where = _open_log(settings, kafka=kafka)
    try:
        done = deliver(order, floor, log, processes=os.cpu_count() or 1)
        add_tables(settings.tables_file, listed)
        say(
            f"{done.rounds:,} rounds, {done.events:,} events, sent to the log: {where}; "
            f"{len(done.truths)} faults planted"
        )
        taken = _ingest(settings, log)
    finally:
        log.close()
    say(f"archived: {taken.events:,} events, {taken.quarantined} in quarantine")


def _broker(settings: Settings) -> AbstractContextManager[None]:
    """The broker that answers, or one for as long as the demo lasts."""
    from pipelines.broker.server import some_broker

    return some_broker(settings, notice=lambda text: say(text, err=True))


def _fresh_home() -> str:
    """EVENHAND_HOME where it is set, else a new folder; never one with somebody's data in it."""
    given = os.environ.get("EVENHAND_HOME")
    if given is None:
        names = (f"evenhand-demo{f'-{n}' if n > 1 else ''}" for n in range(1, 1000))
        return next(name for name in names if not Path(name).exists())
    if Path(given).exists() and any(p.name not in NOBODYS_DATA for p in Path(given).iterdir()):
        raise click.ClickException(
            f"EVENHAND_HOME is {given}, which is not empty; the demo begins from an empty folder: "
            f"unset EVENHAND_HOME, or set it to a folder that does not exist yet"
        )
    return given


def _open_log(settings: Settings, *, kafka: bool) -> tuple[Log, str]:
    """The log, and where it is."""
    if kafka:
        log = _open_empty_topic(settings)
        return log, f"topic {log.topic} at {settings.kafka}"
    from events.log.files.log import open_file_log

    return open_file_log(settings, write=True), str(settings.log_folder)


def _open_empty_topic(settings: Settings) -> KafkaLog:
    """A topic without messages: made-up events never go among real ones."""
    from events.log.kafka.log import open_kafka_log

    for number in count(1):
        name = settings.topic if number == 1 else f"{settings.topic}.demo-{number}"
        log = open_kafka_log(replace(settings, topic=name, dead_topic=f"{name}.dead"))
        if not any(log.end().values()):
            break
        log.close()
    return log


def _ingest(settings: Settings, log: Log) -> Taken:
    from events.archive.ingest import ingest
    from events.archive.writer import ArchiveWriter
    from pipelines.cli.ingest import seal_days

    with ArchiveWriter(
        settings.home / "archive", settings.gaming_day, codec=settings.codec
    ) as archive:
        return ingest(log, archive, completed=seal_days(settings, archive))


def _print_findings(found: pa.Table) -> None:
    """By kind, with the money at stake both ways."""
    import pyarrow.compute as pc

    from pipelines.night.summary import SEVERITIES
    from replay.findings import dollars

    say(f"{'':2}{'kind':<24}{'severity':<12}{'count':>7}{'too much':>14}{'too little':>14}")
    kinds = zip(found["severity"].to_pylist(), found["kind"].to_pylist(), strict=True)
    for severity, kind in sorted(set(kinds), key=lambda k: (SEVERITIES.index(k[0]), k[1])):
        rows = found.filter(pc.field("kind") == kind)
        money = [m or 0 for m in rows["money"].to_pylist()]
        over, under = sum(m for m in money if m > 0), -sum(m for m in money if m < 0)
        paid = f"{dollars(over) if over else '':>14}{dollars(under) if under else '':>14}"
        say(f"  {kind:<24}{severity:<12}{len(money):>7,}{paid}".rstrip())


def _print_next(settings: Settings, found: pa.Table) -> None:
    from pipelines.night.summary import worst

    home = os.path.relpath(settings.home)
    first = next(f["round"] for f in worst(found, found.num_rows) if f["round"])
    say("where to look next:")
    for text in (
        f"evenhand show {first}",
        'evenhand sql "SELECT kind, count(*), sum(money) FROM findings GROUP BY kind"',
        f"evenhand evidence {first} -o round.zip",
    ):
        say(f"  EVENHAND_HOME={home} uv run {text}")
    say(f"  EVENHAND_HOME={home} uv run evenhand desk    then open {settings.desk_address}/")
