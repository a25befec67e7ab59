"""`evenhand golden`: anybody's golden rounds, held against the rulebooks as they are here."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.safe_text import for_json, lines_unsteered, say


@click.command(name="golden")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="One object per round, nothing else.")
def command(files: tuple[Path, ...], as_json: bool) -> None:
    """Run golden rounds: play in plain words, and what the text gives for it.

    docs/golden-rounds.md has the language; a folder stands for the files in it. Exit 0 where every
    round comes out as expected, 1 where one does not, 2 where a file cannot be read.
    """

    from checks.golden.judge import differences
    from checks.golden.load import read_golden

    read = [(path, read_golden(path)) for path in _files(files)]  # all, before one is answered
    held = failed = 0
    for path, file in read:
        for golden in file.rounds:
            wrong = differences(golden)
            held, failed = held + (not wrong), failed + bool(wrong)
            if as_json:
                row = {"file": str(path), "rulebook": golden.rulebook, "round": golden.name}
                click.echo(for_json({**row, "holds": not wrong, "differences": wrong}))
            elif wrong:
                say(f"{path}: {golden.name}")
                click.echo(lines_unsteered("".join(f"  {text}\n" for text in wrong)), nl=False)
    if not as_json:
        say(f"{held + failed:,} golden rounds: {held:,} hold, {failed:,} do not")
    if failed:
        raise click.exceptions.Exit(1)


def _files(given: tuple[Path, ...]) -> list[Path]:
    from events.errors import InputError

    out: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(path.rglob("*.yaml"))
            if not inside:
                raise InputError(f"{path}: no .yaml file in this folder")
            out += inside
        else:
            out.append(path)
    return out
