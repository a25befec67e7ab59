"""`evenhand export`: a period's rounds, lines and findings for the regulator."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import click

from pipelines.cli.period import parse_period
from pipelines.safe_text import for_json, say


@click.command(name="export")
@click.option("--from", "first", metavar="DAY", help="First gaming day.")
@click.option("--to", "last", metavar="DAY", help="Last gaming day.")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path))
@click.option(
    "--unsigned", is_flag=True, help="Without the house's signature, for who can't read its key."
)
@click.option(
    "--verify", "verify_path", type=click.Path(path_type=Path), metavar="FOLDER",
    help="Check an export that somebody got, offline: exit 0 sound, 1 not sound.",
)  # fmt: skip
@click.option(
    "--trust",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --verify: keys that you know, one name+number+key a line.",
)
@click.option("--json", "as_json", is_flag=True, help="With --verify: the verdict as JSON.")
def command(
    first: str | None,
    last: str | None,
    folder: Path | None,
    unsigned: bool,
    verify_path: Path | None,
    trust: Path | None,
    as_json: bool,
) -> None:
    """Write a period's rounds, lines and findings for the regulator, or check such a folder.

    Into a new folder: each table as CSV and Parquet, with them what people did about the period's
    findings (waivers, cases) and in its days, a statement for every day (also for days
    without activity), and a manifest with the SHA-256 of every file, which the house signs
    (manifest.dsse.json). A day that was played and not audited yet is refused, and so is one on
    which tables were silent and no run says so, and one whose published files are not those that
    were signed.
    """
    if verify_path is not None:
        if first or last or folder or unsigned:
            raise click.UsageError("--verify FOLDER stands alone: it needs no period and no -o")
        sys.exit(_verify(verify_path, trust, as_json=as_json))
    if not first or not last or folder is None:
        raise click.UsageError(
            "which period, and into which folder? evenhand export --from DAY --to DAY -o FOLDER"
        )
    _write(first, last, folder, signed=not unsigned)


def _verify(folder: Path, trust: Path | None, *, as_json: bool) -> int:
    from events.trust.keyfiles import read_known_keys
    from pipelines.export.signed import check_export

    verdict = check_export(folder, None if trust is None else read_known_keys(trust))
    if as_json:
        click.echo(for_json(verdict.to_json(), indent=1))
        return 0 if verdict.sound else 1
    say(f"{'sound' if verdict.sound else 'NOT SOUND'}: {folder}")
    for wrong in verdict.wrong:
        say(f"  {wrong.kind}: {wrong.message}")
    for note in verdict.notes:
        say(f"  {note}")
    return 0 if verdict.sound else 1


def _write(first: str, last: str, folder: Path, *, signed: bool) -> None:
    from events.settings import load_settings
    from events.trust.house import house_signer
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
        key = house_signer(settings.home) if signed else None
        manifest = write_export(db, stated, folder, about, people, key)
    finally:
        if db is not None:
            db.close()
    rounds = sum(one.rounds for one in stated)
    idle = sum(not one.active for one in stated)
    by = f"signed by {key.name}" if key is not None else "which nobody signed"
    say(
        f"{folder}: {len(stated)} days, {idle} without activity, {rounds:,} rounds, "
        f"{len(manifest['files'])} files and their manifest, {by}",
        err=True,
    )
