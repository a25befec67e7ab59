"""`evenhand rulebooks --coverage`: which paragraphs fired, and which never did."""

from __future__ import annotations

import textwrap
from datetime import date
from pathlib import Path
from typing import Any

import click

from events.days import parse_day
from pipelines.cli.period import parse_period
from pipelines.safe_text import for_json, say, terminal

COUNTS = ("lines", "findings", "voids", "golden")
WIDTH = 80


def run(book_id: str | None, period: str, golden: Path | None, *, as_json: bool) -> None:
    answer = _answer(book_id, _days(period), golden)
    if as_json:
        click.echo(for_json(answer, indent=1))
        return
    _about(answer)
    _summary(answer["rulebooks"])
    for book in answer["rulebooks"]:
        if book_id is not None:
            _paragraphs(book)
        _never(book)
    if book_id is None:
        say("")
        say("With an ID: how often each paragraph of that rulebook fired.")


def _days(period: str) -> list[date]:
    first, dots, last = period.partition("..")
    last = last if dots else first
    if parse_day(last) < parse_day(first):
        raise click.UsageError(f"--coverage {period}: the first day is after the last")
    return parse_period(first, last)


def _answer(book_id: str | None, days: list[date], golden: Path | None) -> dict[str, Any]:
    from events.settings import load_settings
    from pipelines.clause_coverage import coverage_of, golden_folder, in_golden, in_play
    from pipelines.warehouse.read import open_readonly
    from replay.registry import rulebooks

    with open_readonly(load_settings().home) as db:
        play = in_play(db, days)
    folder = golden or golden_folder()
    tried = None if folder is None else in_golden(folder, book_id)
    books = [book for book in rulebooks() if book_id in {None, book.id}]
    return {
        "days": [day.isoformat() for day in play.days],
        "missing_days": [day.isoformat() for day in play.missing],
        "golden_folder": None if folder is None else str(folder),
        "rulebooks": [coverage_of(book, play, tried) for book in books],
    }


def _about(answer: dict[str, Any]) -> None:
    days = answer["days"]
    said = days[0] if len(days) == 1 else f"{len(days)} days, {days[0]} to {days[-1]}"
    say(f"Paragraphs that fired in play: {said}")
    if answer["missing_days"]:
        _wrapped("never published", answer["missing_days"])
    folder = answer["golden_folder"]
    if folder is None:
        say("No golden rounds here: --golden DIR counts those of a folder.")
    else:
        say(f"and in the golden rounds: {folder}")
    say("")


def _summary(books: list[dict[str, Any]]) -> None:
    """`can fire`: those that settle, check or void."""
    from pipelines.clause_coverage import CAN_FIRE
    from pipelines.tables import columns, print_table

    counts = ("rounds", "golden", "can fire", "in play", "in golden", "never")
    rows = []
    for book in books:
        can = sum(clause["held"] in CAN_FIRE for clause in book["clauses"])
        tried = book["never_in_golden"] is not None
        row = (
            book["id"],
            f"{book['rounds']:,}",
            f"{book['golden_rounds']:,}" if tried else "-",
            str(can),
            str(can - len(book["never_in_play"])),
            str(can - len(book["never_in_golden"])) if tried else "-",
            str(len(book["never"])),
        )
        rows.append(row)
    print_table(terminal(), columns("rulebook", *counts, right=counts), rows)


def _paragraphs(book: dict[str, Any]) -> None:
    """Those that can fire, and what was cited though it only defines."""
    from pipelines.clause_coverage import CAN_FIRE
    from pipelines.tables import columns, print_table

    rows = []
    for clause in book["clauses"]:
        if clause["held"] not in CAN_FIRE and not any(clause[name] for name in COUNTS):
            continue
        counts = ["-" if clause[name] is None else f"{clause[name]:,}" for name in COUNTS]
        held = clause["held"].replace("_", " ")
        rows.append((clause["number"], held, *counts, clause["gist"]))
    say("")
    heads = columns("number", "held", *COUNTS, "gist", right=COUNTS, sentences=("gist",))
    print_table(terminal(), heads, rows)


def _never(book: dict[str, Any]) -> None:
    say("")
    say(book["id"])
    _wrapped("never fired at all", book["never"])
    only = set(book["never"])
    _wrapped("never in play", [n for n in book["never_in_play"] if n not in only])
    if book["never_in_golden"] is not None:
        _wrapped("never in golden rounds", [n for n in book["never_in_golden"] if n not in only])
    if book["unlisted"]:
        _wrapped("cited in play, not in this version", book["unlisted"])


def _wrapped(label: str, numbers: list[str]) -> None:
    """A list over as many lines as it takes; no number is broken or cut."""
    text = f"{label}: {', '.join(numbers) or 'none'}"
    for line in textwrap.wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    ):
        say(line)
