"""`evenhand readings`: where a text allows more than one reading, and which is in force here."""

from __future__ import annotations

from typing import Any

import click

from pipelines.safe_text import for_json, say


def as_json(chosen: dict[str, str]) -> list[dict[str, Any]]:
    """The register; `chosen` are the house's settings, by reading."""
    from replay.registry import readings

    return [
        {
            "id": name,
            "rulebooks": list(registered.rulebooks),
            "clauses": {book: list(numbers) for book, numbers in registered.clauses.items()},
            "question": registered.reading.question,
            "default": registered.reading.default,
            "other": registered.reading.other,
            "in_force": chosen.get(name, "default"),
        }
        for name, registered in readings().items()
    ]


@click.command(name="readings")
@click.argument("names", nargs=-1, metavar="[ID]...")
@click.option("--json", "json_", is_flag=True, help="The register as JSON, nothing else.")
def command(names: tuple[str, ...], json_: bool) -> None:
    """List the register of readings: the question, both answers, and which is in force here.

    The setting `readings` chooses; a reading that it does not name keeps its default.
    """
    from events.settings import load_settings
    from events.vocabulary import refusal

    for name in names:
        if (why := refusal("reading", name)) is not None:
            raise click.UsageError(why)
    rows = [
        row for row in as_json(dict(load_settings().readings)) if not names or row["id"] in names
    ]
    if json_:
        click.echo(for_json(rows, indent=1))
        return
    for row in rows:
        _print(row)


def _print(row: dict[str, Any]) -> None:
    say(row["id"])
    say(f"  {row['question']}")
    for choice in ("default", "other"):
        mark = "*" if row["in_force"] == choice else " "
        say(f"  {mark} {choice + ':':9}{row[choice]}")
    for book, numbers in row["clauses"].items():
        say(f"    {book}{': ' + ', '.join(numbers) if numbers else ''}")
