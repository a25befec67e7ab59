"""`evenhand quarantine`: what arrived and could not be read as an event."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, for_terminal, say, terminal

if TYPE_CHECKING:
    from events.archive.quarantine import Quarantined

_SHOWN = 200


@click.command()
@click.option("--day", "day_text", metavar="DAY", help="One gaming day, like 2026-11-15.")
@click.option("--json", "as_json", is_flag=True, help="One list of objects, with all the bytes.")
@click.option("--retry", is_flag=True, help="Judge all of it again by today's bounds and schemas.")
def command(day_text: str | None, as_json: bool, retry: bool) -> None:
    """List what arrived and could not be read as an event.

    Each with its place in the log, the reason, and its bytes (--json, as base64). With --retry
    what is an event by now goes into the archive first, to its own day and place in the chain.
    """
    from events.archive.reader import Archive
    from events.days import parse_day
    from events.settings import load_settings

    if retry:
        if day_text:
            raise click.UsageError("--retry judges all days; leave --day out")
        _judge_again()
    day = parse_day(day_text) if day_text else None
    with Archive(load_settings().home / "archive") as archive:
        found = archive.quarantine(day)
        if as_json:
            _print_json(found)
        else:
            _print_table(found)


def _judge_again() -> None:
    from events.archive.errors import ArchiveError
    from events.archive.retry import judge_again
    from events.settings import load_settings
    from pipelines.cli.ingest import open_archive, seal_days

    settings = load_settings()
    if not (settings.home / "archive" / "journal.sqlite").exists():
        raise ArchiveError(f"{settings.home / 'archive'}: there is no archive here yet")
    with open_archive(settings) as archive:
        for notice in archive.notices:
            say(f"evenhand: {notice}", err=True)
        done = judge_again(archive, seal_days(settings, archive))
    days = ", ".join(d.isoformat() for d in sorted(done.days))
    into = f" and went to {days}: audit again with evenhand nightly --day" if days else ""
    say(f"{done.judged:,} judged again, {done.released:,} are events now{into}", err=True)


def _print_json(found: Iterator[Quarantined]) -> None:
    """One list, written piece by piece: noise of megabytes need not fit into memory together."""
    click.echo("[", nl=False)
    for n, one in enumerate(found):
        text = for_json(one.to_json())
        click.echo(f"{',' if n else ''}\n{text}", nl=False)
    click.echo("\n]")


def _print_table(found: Iterator[Quarantined]) -> None:
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
        say("nothing is in quarantine")
        return
    # in a pipe a line is a message, however long; on a terminal the columns are folded
    terminal(width=None if sys.stdout.isatty() else 400).print(table)
    more = f"; the first {_SHOWN} are shown, --json lists all" if rows > _SHOWN else ""
    say(f"{rows:,} in quarantine{more}")


def _cells(q: Quarantined) -> list[str]:
    source = q.source if len(q.source) <= 28 else q.source[:27] + "\u2026"
    place = f"{q.partition}:{q.offset}"
    seq = "" if q.seq is None else str(q.seq)
    size = f"{len(q.raw):,}"
    cells = [q.day.isoformat(), source, place, q.table or "", q.round or "", seq, size, q.reason]
    return [for_terminal(cell) for cell in cells]
