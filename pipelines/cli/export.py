"""`evenhand export`: a period's rounds, lines and findings for the regulator."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import click

from pipelines.cli.period import parse_period
from pipelines.safe_text import say


@click.command(name="export")
@click.option("--from", "first", required=True, metavar="DAY", help="First gaming day.")
@click.option("--to", "last", required=True, metavar="DAY", help="Last gaming day.")
@click.option("-o", "--output", "folder", required=True, type=click.Path(path_type=Path))
def command(first: str, last: str, folder: Path) -> None:
    """Write a period's rounds, lines and findings for the regulator.

    Into a new folder: each table as CSV and Parquet, with them what people did about the period's
    findings (waivers, cases) and in its days, a statement for every day (also for days
    without activity), and a manifest with the SHA-256 of every file. A day that was played and not
    audited yet is refused, and so is one whose published files are not those that were signed.
    """
    from events.settings import load_settings
    from pipelines.export.people import people_of
    from pipelines.export.period import must_be_as_signed, statements
    from pipelines.export.write import write_export
    from pipelines.warehouse.layout import warehouse_of
    from pipelines.warehouse.read import open_readonly

    days = parse_period(first, last)
    settings = load_settings()
    there = warehouse_of(settings.home).catalogue.exists()
    must_be_as_signed(settings.home, days)
    db = open_readonly(settings.home) if there else None
    try:
        stated = statements(db, settings, days)
        about = {
            "made_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "made_by": f"evenhand {metadata.version('evenhand')}",
        }
        people = people_of(db, settings, days[0], days[-1])
        manifest = write_export(db, stated, folder, about, people)
    finally:
        if db is not None:
            db.close()
    rounds = sum(one.rounds for one in stated)
    idle = sum(not one.active for one in stated)
    say(
        f"{folder}: {len(stated)} days, {idle} without activity, {rounds:,} rounds, "
        f"{len(manifest['files'])} files and their manifest",
        err=True,
    )
