"""`evenhand simulate`: simulated tables play a gaming day into the log."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from events.settings import Settings, load_settings
from pipelines.safe_text import say

if TYPE_CHECKING:
    from events.chain import Head
    from events.devices.deliver import Delivered, Tell
    from events.devices.floor import Floor
    from events.devices.plan import Order
    from events.log.base import Log
    from events.registry import RegisteredTable

_RATE = click.FloatRange(0, 1)


@click.command()
@click.option("--tables", type=click.IntRange(1, 5000), required=True, help="How many tables.")
@click.option("--rounds", type=click.IntRange(1, 20_000), help="Rounds per table.")
@click.option("--day", "day_text", help="The gaming day, like 2026-11-15. [default: the last over]")
@click.option("--rulebook", metavar="ID", help="One game only. [default: all five in turn]")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same bytes.")
@click.option("--faults", type=_RATE, default=0.0, show_default=True, help="Planted per round.")
@click.option(
    "--irregularities",
    type=_RATE,
    help="Per round, handled by the book. [default: as floor.toml has it]",
)
@click.option("--to", "to", type=click.Choice(["file", "kafka"]), default="file", show_default=True)
@click.option("--truth", type=click.Path(path_type=Path), help="Write planted faults there.")
@click.option(
    "--jsonl",
    type=click.Path(path_type=Path),
    help="Write the contract's JSON there instead of into the log, for evenhand replay.",
)
@click.option("--processes", type=click.IntRange(1, 256), help="[default: one per core]")
@click.option("--coverage", is_flag=True, help="Print how often everything occurred.")
def command(
    tables: int,
    rounds: int | None,
    day_text: str | None,
    rulebook: str | None,
    seed: int,
    faults: float,
    irregularities: float | None,
    to: str,
    truth: Path | None,
    jsonl: Path | None,
    processes: int | None,
    coverage: bool,
) -> None:
    """Play simulated tables into the log.

    Without --rounds each table plays for as long as it is open; without --day it is the last
    gaming day that is over. The same command run again, after a kill too, completes the day
    without writing anything twice.
    """
    from events.days import parse_day
    from events.devices.deliver import deliver
    from events.devices.floor import default_floor
    from events.registry import add_tables

    settings, floor = load_settings(), default_floor()
    day = parse_day(day_text) if day_text else last_day_over(settings)
    usual = floor.day.irregularities
    order = order_of(
        settings,
        tables=tables,
        day=day,
        seed=seed,
        rounds=rounds,
        rulebook=rulebook,
        irregularities=usual if irregularities is None else irregularities,
        faults=faults,
    )
    order = replace(order, ends_are_kept=jsonl is None, signed=True, keys_are_kept=jsonl is None)
    listed = {} if jsonl else tables_to_register(settings, order, floor)
    log = _open(settings, to, jsonl)
    try:
        with _progress(order) as tell:
            cores = os.cpu_count() or 1
            ends = _known_ends(settings) if order.ends_are_kept else {}
            done = deliver(order, floor, log, ends=ends, processes=processes or cores, tell=tell)
        add_tables(settings.tables_file, listed)
    finally:
        log.close()
    if done.lost_ends:
        _tell_ends(settings, done)
    if truth is not None:
        _write_truth(truth, done)
    _summary(done, order)
    if coverage:
        _print_coverage(done)


def last_day_over(settings: Settings) -> date:
    """The gaming day that ended last."""
    return settings.gaming_day.day_of(datetime.now(UTC)) - timedelta(days=1)


def order_of(
    settings: Settings,
    *,
    tables: int,
    day: date,
    seed: int,
    rounds: int | None,
    irregularities: float,
    faults: float,
    rulebook: str | None = None,
) -> Order:
    """What is asked for, on the house's clock and with its jackpots."""
    from events.devices.plan import Order, micros

    return Order(
        tables=tables,
        day=day,
        start_us=micros(settings.gaming_day.start_of(day)),
        end_us=micros(settings.gaming_day.end_of(day)),
        seed=seed,
        rounds=rounds,
        rulebook=rulebook,
        irregularities=irregularities,
        faults=faults,
        jackpots=tuple((n, j.reset_cents, j.growth_cents) for n, j in settings.jackpots.items()),
    )


def tables_to_register(
    settings: Settings, order: Order, floor: Floor
) -> dict[str, RegisteredTable]:
    """The simulated tables as the registry has them, from the first day on that is known of each.

    None where the registry is not the home's own, or where it would be the first one of a home that
    has other tables: these would all be unknown then.
    """
    from events.devices.keys import registered_key
    from events.devices.plan import CURRENCY, tables_of
    from events.registry import RegisteredTable, load_registry

    file, specs = settings.tables_file, tables_of(order, floor)
    registry, first = load_registry(file), _first_days(settings)
    if not file.resolve().is_relative_to(settings.home.resolve()):
        say(f"{file}: outside the home folder, the tables are not added to it", err=True)
        return {}
    if registry is None and not first.keys() <= {spec.id for spec in specs}:
        say(f"{file}: not written, the archive has tables of which nothing else is known", err=True)
        return {}
    return {
        spec.id: RegisteredTable(
            rulebooks=(spec.rulebook,),
            property=spec.id.partition("-")[0],
            currency=CURRENCY,
            since=min(order.day, first.get(spec.id, order.day)),
            keys=(registered_key(order, spec.id, order.day),) if order.signed else (),
        )
        for spec in specs
    }


def _first_days(settings: Settings) -> dict[str, date]:
    """The tables that the archive has, each with its first day."""
    from events.archive.layout import Layout
    from events.archive.reader import Archive

    if not Layout(settings.home / "archive").journal.exists():
        return {}
    with Archive(settings.home / "archive") as archive:
        rows = archive.db.execute("SELECT table_id, min(day) FROM day_tables GROUP BY table_id")
        return {table: date.fromisoformat(day) for table, day in rows}


def _open(settings: Settings, to: str, jsonl: Path | None) -> Log:
    if jsonl is not None:
        from events.devices.jsonl_log import JsonlLog

        return JsonlLog(jsonl)
    if to == "kafka":
        from events.log.kafka.log import open_kafka_log

        return open_kafka_log(settings)
    from events.log.files.log import open_file_log

    return open_file_log(settings, write=True)


def _known_ends(settings: Settings) -> dict[str, Head]:
    """The ends of chains that the checkpoints know."""
    from events.chain import Head
    from events.checkpoints import latest, load_checkpoints

    known = latest(load_checkpoints(settings.checkpoints_file))
    return {table: Head(c.seq, c.head) for table, c in known.items()}


def _tell_ends(settings: Settings, done: Delivered) -> None:
    """A planted fault: a checkpoint knows the last event of a table, and the log does not."""
    from events.checkpoints import write_checkpoints

    known = _known_ends(settings)
    new = {t: h for t, h in done.lost_ends.items() if t not in known or known[t].seq < h.seq}
    if new:
        write_checkpoints(settings.checkpoints_file, new, "the gateway's own count")


@contextlib.contextmanager
def _progress(order: Order) -> Iterator[Tell]:
    """A bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda rounds: None
        return
    from rich.console import Console
    from rich.progress import Progress

    total = order.tables * order.rounds if order.rounds else None
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=total)
        yield lambda rounds: bar.update(
            task, advance=rounds, description=f"playing, {bar.tasks[0].completed:,.0f} rounds"
        )


def _write_truth(path: Path, done: Delivered) -> None:
    """Whole or not at all, so that a kill never leaves half a truth."""
    unfinished = path.with_name(path.name + ".unfinished")
    lines = (json.dumps(t, ensure_ascii=False) + "\n" for t in done.truths)
    unfinished.write_text("".join(lines), "utf-8", newline="\n")
    unfinished.replace(path)


def _summary(done: Delivered, order: Order) -> None:
    there = f", {done.already_there:,} were there already" if done.already_there else ""
    planted = f", {len(done.truths):,} faults planted" if order.faults else ""
    say(
        f"{order.day}: {done.tables:,} tables, {done.rounds:,} rounds, {done.events:,} events "
        f"written{there}{planted}",
        err=True,
    )


def _print_coverage(done: Delivered) -> None:
    from events.devices.coverage import table_of

    for rulebook, what, times in table_of(done.tallies):
        say(f"{rulebook:<28} {times:>9,}  {what}")
