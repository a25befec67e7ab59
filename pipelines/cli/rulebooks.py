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
        begins, ends = book.in_force_from, book.in_force_until
        out.append(
            {
                "id": book.id,
                "title": book.title,
                "version": book.version,
                "in_force_from": None if begins is None else f"{begins:%Y-%m-%dT%H:%M:%SZ}",
                "in_force_until": None if ends is None else f"{ends:%Y-%m-%dT%H:%M:%SZ}",
                "property": book.house,
                "notice": book.notice,
                "fingerprint": fingerprint(book.id),
                "clauses": clauses,
            }
        )
    return out


@click.command(name="rulebooks")
@click.argument("asked", nargs=-1, metavar="[ID | diff A B]")
@click.option("--json", "json_", is_flag=True, help="The list as JSON, nothing else.")
@click.option(
    "--coverage", "period", metavar="DAY[..DAY]",
    help="Which paragraphs fired in these published days and in the golden rounds.",
)  # fmt: skip
@click.option(
    "--golden", "golden", metavar="DIR", type=click.Path(path_type=Path),
    help="With --coverage: the golden rounds; in a checkout tests/replay/golden.",
)  # fmt: skip
def command(asked: tuple[str, ...], json_: bool, period: str | None, golden: Path | None) -> None:
    """List the rulebooks and how many paragraphs settle, check, void or define.

    With an ID every paragraph of that rulebook, its gist and how it is held. `diff A B` holds two
    versions against each other, paragraph by paragraph; each is an ID or the folder of a draft
    (docs/drafts.md).

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

    if asked[:1] == ("diff",):
        _diff(asked[1:], as_json=json_)
        return
    if len(asked) > 1:
        raise click.UsageError(f"one rulebook at a time, found {', '.join(asked)}")
    book_id = asked[0] if asked else None
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


def _diff(names: tuple[str, ...], *, as_json: bool) -> None:
    from pipelines.rulebook_diff import difference
    from pipelines.tables import columns, heading, print_table
    from pipelines.whatif.draft import rulebook_or_draft

    if len(names) != 2:
        raise click.UsageError("rulebooks diff A B: give two rulebooks, each an id or a folder")
    old, new = map(rulebook_or_draft, names)
    found = difference(old, new)
    if as_json:
        click.echo(for_json(found, indent=1))
        return
    out = terminal()
    for part in ("clauses", "rules", "readings"):
        heading(out, f"{part}: {len(found[part])} differ")
        heads = columns("what", old.id, new.id, sentences=("what", old.id, new.id))
        rows = [(c["what"], c["before"] or "-", c["after"] or "-") for c in found[part]]
        if rows:
            print_table(out, heads, rows)


def _show(books: list[dict[str, Any]], *, whole: bool) -> None:
    from pipelines.tables import columns, print_table

    console = terminal()
    counted = tuple(kind.replace("_", " ") for kind in HELD)
    rows = []
    for book in books:
        held = [clause["held"] for clause in book["clauses"]]
        counts = [str(held.count(kind)) for kind in HELD]
        told = ", ".join(f"{n} {kind}" for n, kind in zip(counts, counted, strict=True))
        until = f" until {book['in_force_until']}" if book["in_force_until"] else ""
        force = (book["in_force_from"] or "not dated") + until
        place = (book["property"] or "-", book["notice"] or "-")
        rows.append((book["id"], *place, force, f"{len(held)}: {told}"))
    names = ("rulebook", "property", "notice", "in force from", "paragraphs")
    print_table(console, columns(*names, folds=("in force from", "paragraphs")), rows)
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
