"""`evenhand quarantine`: what arrived and could not be read as an event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say, terminal

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
    from pipelines.tables import columns, print_table

    shown: list[list[str]] = []
    count = 0
    for count, q in enumerate(found, start=1):
        if count <= _SHOWN:
            shown.append(_cells(q))
    if not count:
        say("nothing is in quarantine")
        return
    print_table(
        terminal(), columns(*_NAMES, right=("place", "seq", "bytes"), sentences=("reason",)), shown
    )
    more = f"; the first {_SHOWN} are shown, --json lists all" if count > _SHOWN else ""
    say(f"{count:,} in quarantine{more}")


_NAMES = ("day", "source", "place", "table", "round", "seq", "bytes", "reason")


def _cells(q: Quarantined) -> list[str]:
    place = f"{q.partition}:{q.offset}"
    seq = "" if q.seq is None else str(q.seq)
    size = f"{len(q.raw):,}"
    return [q.day.isoformat(), q.source, place, q.table or "", q.round or "", seq, size, q.reason]
