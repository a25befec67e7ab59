"""`evenhand repair`: a day's columns and index made again from its evidence."""

from __future__ import annotations

import click

from pipelines.safe_text import say


@click.command()
@click.argument("day_text", metavar="DAY")
def command(day_text: str) -> None:
    """Make a day's columns and index again from its evidence.

    For a day of which evenhand verify says that derived files are damaged or gone. The evidence
    itself is never touched; where it is not whole, nothing is changed.
    """
    from events.archive.writer import ArchiveWriter
    from events.days import parse_day
    from events.settings import load_settings

    settings, day = load_settings(), parse_day(day_text)
    if not (settings.home / "archive" / "journal.sqlite").exists():
        from events.archive.errors import ArchiveError

        raise ArchiveError(f"{settings.home / 'archive'}: there is no archive here yet")
    with ArchiveWriter(
        settings.home / "archive", settings.gaming_day, codec=settings.codec
    ) as archive:
        done = archive.repair(day)
    say(
        f"{day}: columns and index made again from the evidence: {done.events:,} events, "
        f"{done.rounds:,} rounds; evenhand verify --day {day} looks it over"
    )
