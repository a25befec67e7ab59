"""`evenhand quarantine`: what arrived and could not be read as an event."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from events.archive.quarantine import Quarantined

_SHOWN = 200


@click.command()
@click.option("--day", "day_text", metavar="DAY", help="One gaming day, like 2026-11-15.")
@click.option("--json", "as_json", is_flag=True, help="One list of objects, with all the bytes.")
def command(day_text: str | None, as_json: bool) -> None:
    """List what arrived and could not be read as an event.

    Each with its place in the log, the reason, and its bytes (--json, as base64).
    """
    from events.archive.reader import Archive
    from events.days import parse_day
    from events.settings import load_settings

    day = parse_day(day_text) if day_text else None
    with Archive(load_settings().home / "archive") as archive:
        found = archive.quarantine(day)
        if as_json:
            _print_json(found)
        else:
            _print_table(found)


def _print_json(found: Iterator[Quarantined]) -> None:
    """One list, written piece by piece: noise of megabytes need not fit into memory together."""
    click.echo("[", nl=False)
    for n, one in enumerate(found):
        text = json.dumps(one.to_json(), ensure_ascii=False)
        click.echo(f"{',' if n else ''}\n{text}", nl=False)
    click.echo("\n]")


def _print_table(found: Iterator[Quarantined]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("day", "source", "place", "table", "round", "seq", "bytes", "reason"):
        right = name in ("place", "seq", "bytes")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    rows = 0
    for rows, q in enumerate(found, start=1):
        if rows <= _SHOWN:
            table.add_row(*_cells(q))
    if not rows:
        click.echo("nothing is in quarantine")
        return
    # in a pipe a line is a message, however long; on a terminal the columns are folded
    Console(width=None if sys.stdout.isatty() else 400).print(table)
    more = f"; the first {_SHOWN} are shown, --json lists all" if rows > _SHOWN else ""
    click.echo(f"{rows:,} in quarantine{more}")


def _cells(q: Quarantined) -> list[str]:
    source = q.source if len(q.source) <= 28 else q.source[:27] + "\u2026"
    place = f"{q.partition}:{q.offset}"
    seq = "" if q.seq is None else str(q.seq)
    size = f"{len(q.raw):,}"
    return [q.day.isoformat(), source, place, q.table or "", q.round or "", seq, size, q.reason]
