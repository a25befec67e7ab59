"""`evenhand verify`: does the archive still say what it said, and do its parts agree."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from events.archive.findings import ArchiveProblem, VerifyReport
    from events.archive.reader import Archive
    from events.settings import Settings
    from events.trust.note import VerifierKey
    from pipelines.warehouse.held import PublishedReport
    from pipelines.witness.held import LogReport

_SHOWN = 20


@click.command()
@click.option("--day", "day_text", metavar="DAY", help="One gaming day, like 2026-11-15.")
@click.option(
    "--checkpoints",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Heads and seals that were kept elsewhere (evenhand checkpoints --all --json).",
)
@click.option(
    "--trust",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keys that you know, one name+number+key a line: signatures are held against them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(
    day_text: str | None, checkpoints: Path | None, trust: Path | None, as_json: bool
) -> None:
    """Rebuild chain, checksums and columns from the evidence, and hold what is published against
    what the house signed.

    Exit code 0: all is well. 1: something is wrong, and the report says what. 2: the archive
    can't be read.
    """
    from events.archive.reader import Archive
    from events.archive.verify import verify
    from events.checkpoints import known_heads, load_checkpoints
    from events.days import parse_day
    from events.settings import load_settings
    from events.trust.keyfiles import read_known_keys
    from pipelines.warehouse.held import check_published
    from pipelines.witness.held import check_log

    settings = load_settings()
    trusted = None if trust is None else read_known_keys(trust)
    day = parse_day(day_text) if day_text else None
    if checkpoints is None:  # the house's own: worth what its signatures and witnesses are
        kept, known = load_checkpoints(settings.checkpoints_file, quarantine=True), {}
    else:
        kept = load_checkpoints(checkpoints, kept=True, quarantine=True)
        known = known_heads(c for c in kept if c.of_table)
    with Archive(settings.home / "archive") as archive:
        report = verify(archive, day, known, kept=kept)
        _hold_signatures(settings, archive, report, trusted)
    report.problems += _problems_of_people(settings.home)
    shown = check_published(settings.home, day, trusted)
    log = check_log(settings, kept, trusted)
    well = report.is_well and not shown.problems and not log.problems
    if as_json:
        told = report.to_json() | {"published": shown.to_json(), "log": log.to_json()}
        told["verdict"] = "intact" if well else "wrong"
        click.echo(for_json(told, indent=1))
    else:
        _print_published(shown)
        _print_log(log)
        _print(report)
    sys.exit(0 if well else 1)


def _problems_of_people(home: Path) -> list[ArchiveProblem]:
    """What does not fit in the log of what people did."""
    from events.archive.findings import ArchiveProblem, Trouble
    from pipelines.people.act import DeedBook

    found = DeedBook(home).problems()
    return [ArchiveProblem(Trouble.PEOPLE_LOG_DIFFERS, one.message) for one in found]


def _hold_signatures(
    settings: Settings,
    archive: Archive,
    report: VerifyReport,
    trusted: Sequence[VerifierKey] | None,
) -> None:
    """The gateways' signatures against the keys of the registry, where it has some, and these
    against the ones that somebody knows; and of two tails of a chain, which one counts."""
    from checks.signed_days import held_tables
    from events.archive.errors import ArchiveError
    from events.archive.findings import ArchiveProblem, Trouble
    from events.chain import ChainVerdict
    from events.trust.heads import gateway_keys, unknown_keys

    of_day = {one.day: one for one in report.days}
    whole = [day for day, one in of_day.items() if not one.problems]  # else the files are to blame
    keys = gateway_keys(settings.tables_file, settings.gaming_day)
    report.problems += [
        ArchiveProblem(Trouble.UNKNOWN_KEY, f"{settings.tables_file}: {says}")
        for says in unknown_keys(keys.registry, trusted or ())
    ]
    doubled = {t.table for t in report.tables if ChainVerdict.DUPLICATED in t.verdicts}
    try:
        for day, table, findings, tails in held_tables(archive, whole, keys, doubled):
            of_day[day].problems += [
                ArchiveProblem(Trouble(found.kind), found.message, table) for found in findings
            ]
            of_day[day].notes += [f"table {table}: {told}" for told in tails]
    except ArchiveError as error:
        report.problems.append(ArchiveProblem(Trouble.JOURNAL_DIFFERS, str(error)))


def _print(report: VerifyReport) -> None:
    for wrong in report.problems:
        say(f"{wrong.verdict}: {wrong.message}")
    for day in report.days:
        say(
            f"{day.day}  {', '.join(day.verdicts)}  {day.events:,} events, {day.files} files, "
            f"{day.quarantined:,} in quarantine"
        )
        for problem in day.problems[:_SHOWN]:
            say(f"    {problem.verdict}: {problem.message}")
        _more(len(day.problems))
        for note in day.notes:
            say(f"    note: {note}")
    whole = [t for t in report.tables if not t.breaks]
    for table in report.tables:
        if table.breaks:
            say(f"{table.table}  {', '.join(sorted(table.verdicts))}")
            for broken in table.breaks[:_SHOWN]:
                say(f"    {broken.verdict}: {broken.message}")
            _more(len(table.breaks))
    for text in report.sources:
        say(f"source: {text}")
    say(f"{len(whole):,} of {len(report.tables):,} tables have an intact chain")


def _print_published(shown: PublishedReport) -> None:
    for wrong in shown.problems[:_SHOWN]:
        say(f"{wrong.verdict}: {wrong.message}")
    _more(len(shown.problems))
    for note in shown.notes:
        say(f"note: {note}")
    if shown.runs:
        say(f"{shown.runs:,} runs published, {shown.files:,} files held against what was signed")


def _print_log(log: LogReport) -> None:
    for verdict, message in log.problems:
        say(f"{verdict}: {message}")
    for note in log.notes:
        say(f"note: {note}")


def _more(found: int) -> None:
    if found > _SHOWN:
        say(f"    and {found - _SHOWN:,} more; --json lists them all")
