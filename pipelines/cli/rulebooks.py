"""`evenhand rulebooks`: which rulebooks there are, how each paragraph is held, which fired."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pipelines.safe_text import for_json, terminal

HELD = ("settles", "checks", "voids", "defines", "not_observable")


def as_json() -> list[dict[str, Any]]:
    """The contract's list: id, title, version, in_force_from, fingerprint, clauses."""
    from replay.fingerprint import fingerprint
    from replay.registry import rulebooks

    out = []
    for book in rulebooks():
        clauses = []
        for clause in book.clauses:
            entry = {"number": clause.number, "gist": clause.gist, "held": clause.held}
            if clause.reason is not None:
                entry["reason"] = clause.reason
            clauses.append(entry)
        begins = book.in_force_from
        out.append(
            {
                "id": book.id,
                "title": book.title,
                "version": book.version,
                "in_force_from": None if begins is None else f"{begins:%Y-%m-%dT%H:%M:%SZ}",
                "fingerprint": fingerprint(book.id),
                "clauses": clauses,
            }
        )
    return out


@click.command(name="rulebooks")
@click.argument("book_id", required=False, metavar="[ID]")
@click.option("--json", "json_", is_flag=True, help="The list as JSON, nothing else.")
@click.option(
    "--coverage", "period", metavar="DAY[..DAY]",
    help="Which paragraphs fired in these published days and in the golden rounds.",
)  # fmt: skip
@click.option(
    "--golden", "golden", metavar="DIR", type=click.Path(path_type=Path),
    help="With --coverage: the golden rounds; in a checkout tests/replay/golden.",
)  # fmt: skip
def command(book_id: str | None, json_: bool, period: str | None, golden: Path | None) -> None:
    """List the rulebooks and how many paragraphs settle, check, void or define.

    With an ID every paragraph of that rulebook, its gist and how it is held.

    --coverage counts what cites each paragraph: derived lines, findings and void rounds of the
    days, and golden rounds (their answer, in every reading that they tell of). It lists what never
    fired, of the paragraphs that settle, check or void; with an ID every paragraph's counts.

    \b
    As JSON: {"days": [...], "missing_days": [...], "golden_folder", "rulebooks": [
      {"id", "rounds", "golden_rounds", "clauses": [{"number", "held", "gist",
       "lines", "findings", "voids", "golden"}], "never_in_play": [numbers],
       "never_in_golden": [numbers], "never": [numbers], "unlisted": [numbers]}]}
    Whatever tells of golden rounds is null where there are none to read; `unlisted`
    are numbers that the days cite and this version's rulebook does not have.
    """
    from events.contract import did_you_mean
    from replay.registry import IDS

    if book_id is not None and book_id not in IDS:
        raise click.UsageError(f"no rulebook {book_id}{did_you_mean(book_id, IDS)}")
    if period is not None:
        from pipelines.cli.rulebooks_coverage import run

        run(book_id, period, golden, as_json=json_)
        return
    if golden is not None:
        raise click.UsageError("--golden DIR goes with --coverage DAY..DAY")
    books = [book for book in as_json() if book_id in {None, book["id"]}]
    if json_:
        click.echo(for_json(books, indent=1))
        return
    _show(books, whole=book_id is not None)


def _show(books: list[dict[str, Any]], *, whole: bool) -> None:
    from pipelines.tables import columns, print_table

    console = terminal()
    counted = ("paragraphs", *(kind.replace("_", " ") for kind in HELD))
    rows = []
    for book in books:
        held = [clause["held"] for clause in book["clauses"]]
        counts = [str(held.count(kind)) for kind in HELD]
        rows.append((book["id"], book["in_force_from"] or "not dated", str(len(held)), *counts))
    names = ("rulebook", "in force from", *counted)
    print_table(console, columns(*names, right=counted), rows)
    for book in books:
        if whole:
            console.print(f"\n{book['title']}, version {book['version']}: {book['fingerprint']}\n")
            _clauses(console, book)
    if not whole:
        console.print("\nevenhand rulebooks ID lists the paragraphs of one.")


def _clauses(console: Any, book: dict[str, Any]) -> None:
    from pipelines.tables import columns, print_table

    rows = []
    for clause in book["clauses"]:
        reason = f" ({clause['reason']})" if "reason" in clause else ""
        rows.append((clause["number"], clause["held"].replace("_", " "), clause["gist"] + reason))
    print_table(console, columns("number", "held", "gist", sentences=("gist",)), rows)
