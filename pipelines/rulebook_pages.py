"""docs/rulebooks/: a page per rulebook, made from the clauses, rules and readings themselves.

`uv run python -m pipelines.rulebook_pages` writes them; a test fails where one is not current.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replay.registry import rulebooks
from replay.rulebook import Rulebook
from replay.rules import Result, Rule, not_yet

HELD = ("settles", "checks", "voids", "defines", "not_observable")


def page(book: Rulebook) -> str:
    """One rulebook as Markdown."""
    begins, ends = book.in_force_from, book.in_force_until
    dated = "our copy of the text has no date" if begins is None else f"{begins:%Y-%m-%d %H:%M} UTC"
    dated += "" if ends is None else f", until {ends:%Y-%m-%d %H:%M} UTC"
    held: list[str] = [clause.held for clause in book.clauses]
    counts = ", ".join(f"{held.count(kind)} {kind.replace('_', ' ')}" for kind in HELD)
    parts = [
        f"# {book.title}, version {book.version}\n",
        f"Id `{book.id}`. In force from: {dated}. Property: {book.house or 'not named'}; notice of "
        f"approval: {book.notice or 'no id in our copy'}. {len(held)} paragraphs: {counts}.\n",
        "Made by `uv run python -m pipelines.rulebook_pages`; do not edit. The gists are our own "
        "words;\nthe approved text decides.\n",
        _rules(book),
        _readings(book),
        _clauses(book),
    ]
    return "\n".join(parts)


def _rules(book: Rulebook) -> str:
    """For each bet the rules in the order in which they are asked."""
    out = ["## How each bet is settled\n", "The first rule that applies settles the bet.\n"]
    for bet, asked in book.rules.items():
        out.append(f"### {bet}\n")
        out.append("| | applies when | gives | clauses |")
        out.append("|---|---|---|---|")
        for number, rule in enumerate(asked, start=1):
            cited = ", ".join(rule.clauses)
            out.append(f"| {number} | {rule.what} | {gives_words(rule)} | {cited} |")
        out.append("")
    return "\n".join(out)


def gives_words(rule: Rule[Any]) -> str:
    """What a rule gives, in words."""
    if rule.gives is not_yet:
        return "nothing yet"
    if not isinstance(rule.gives, Result):
        return "as the case has it"
    if rule.gives.odds is None:
        return rule.gives.outcome.replace("_", " ")
    return f"win {rule.gives.odds[0]} to {rule.gives.odds[1]}"


def _readings(book: Rulebook) -> str:
    out = [
        "## Readings\n",
        "The numbers in the clauses column are this text's; a question may name another's.\n",
    ]
    out += ["| id | clauses | question | default | other |", "|---|---|---|---|---|"]
    for reading in book.readings:
        cited = ", ".join(reading.clauses)
        cells = (f"`{reading.id}`", cited, reading.question, reading.default, reading.other)
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


def _clauses(book: Rulebook) -> str:
    out = ["## Paragraphs\n", "| number | held | gist |", "|---|---|---|"]
    for clause in book.clauses:
        reason = f" ({clause.reason})" if clause.reason else ""
        held = clause.held.replace("_", " ")
        out.append(f"| {clause.number} | {held} | {clause.gist}{reason} |")
    return "\n".join(out) + "\n"


def index() -> str:
    """The page that lists the pages."""
    out = ["# Rulebooks\n", "| rulebook | in force from | paragraphs |", "|---|---|---|"]
    for book in rulebooks():
        begins = "not dated" if book.in_force_from is None else f"{book.in_force_from:%Y-%m-%d}"
        name = f"[{book.title}, version {book.version}]({book.id}.md)"
        out.append(f"| {name} | {begins} | {len(book.clauses)} |")
    return "\n".join(out) + "\n"


def pages() -> dict[str, str]:
    """File name -> text."""
    return {"README.md": index(), **{f"{book.id}.md": page(book) for book in rulebooks()}}


def main() -> None:
    folder = Path("docs/rulebooks")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
