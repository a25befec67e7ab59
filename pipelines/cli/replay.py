"""`evenhand replay`: the rounds of a file, settled by the rulebook and compared with the record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json

if TYPE_CHECKING:
    from replay.answer import Answer


def parse_readings(pairs: tuple[str, ...]) -> dict[str, bool]:
    """`id=other` or `id=default`, each id in the register; True where the other is asked for."""
    from events.vocabulary import refusal

    out: dict[str, bool] = {}
    for pair in pairs:
        name, _, choice = pair.partition("=")
        if (why := refusal("reading", name)) is not None:
            raise click.UsageError(f"--reading {pair}: {why}")
        if choice not in {"other", "default"}:
            raise click.UsageError(
                f"--reading {pair}: expected {name}=other or {name}=default, found {choice or '-'}"
            )
        out[name] = choice == "other"
    return out


def turned_readings(pairs: tuple[str, ...]) -> frozenset[str]:
    """The readings set to the other one: from the settings, then from the command line."""
    from events.settings import load_settings

    configured = load_settings().readings
    chosen = parse_readings(tuple(f"{name}={choice}" for name, choice in configured.items()))
    chosen |= parse_readings(pairs)
    return frozenset(name for name, other in chosen.items() if other)


@click.command(name="replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One answer per line, nothing else.")
@click.option("--round", "rounds", multiple=True, metavar="ID", help="Only this round.")
@click.option("--reading", "readings", multiple=True, metavar="ID=other", help="Read otherwise.")
@click.option("--explain", is_flag=True, help="Say which rules were asked, and which settled.")
def command(
    file: Path, as_json: bool, rounds: tuple[str, ...], readings: tuple[str, ...], explain: bool
) -> None:
    """Settle the rounds of FILE (Avro or JSON Lines) by the rulebook.

    Where the registry of tables has keys of the tables' gateways, signatures are held against them;
    the end of the file counts as the end of the day.

    Exit 0 where every round could be read, also with findings; 2 where the input cannot be read.
    """
    from checks.audit import audit_file
    from events.files import read_events
    from events.settings import load_settings
    from events.trust.heads import gateway_keys

    settings = load_settings()
    events = read_events(file, settings.bounds)
    keys = gateway_keys(settings.tables_file, settings.gaming_day)
    answers = audit_file(events, turned_readings(readings), trace=explain, keys=keys)
    if rounds:
        answers = _only(answers, rounds, file)
    if as_json:
        _print_json(answers)
        return
    from pipelines.cli.replay_view import show_answers

    show_answers(answers)


def _only(answers: list[Answer], wanted: tuple[str, ...], file: Path) -> list[Answer]:
    from events.contract import did_you_mean

    known = {answer.round for answer in answers}
    for round_id in wanted:
        if round_id not in known:
            hint = did_you_mean(round_id, known)
            raise click.UsageError(f"{file} has no round {round_id}{hint}")
    return [answer for answer in answers if answer.round in wanted]


def _print_json(answers: list[Answer]) -> None:

    from replay.fingerprint import fingerprint

    for answer in answers:
        book = answer.rulebook if answer.status != "unreplayable" else None
        out = answer.to_json(None if book is None else fingerprint(book))
        click.echo(for_json(out, separators=(", ", ": ")))
