"""`evenhand witness`: a regulator's own process that signs only what goes on from what it saw."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.safe_text import lines_unsteered


@click.group(name="witness")
def command() -> None:
    """Keep watch over a house's log, on a machine that the house can't write to."""


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="What the witness is called in its signatures.")
@click.option(
    "--house", required=True, type=click.Path(path_type=Path), help="The house's known keys."
)
def new(folder: Path, name: str, house: Path) -> None:
    """Make a witness in FOLDER: a key of its own, and the keys of the house that it watches."""
    from events.trust.keyfiles import read_known_keys
    from events.trust.witness import new_witness

    click.echo(str(new_witness(folder, name, read_known_keys(house))))


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8771, show_default=True, help="0: one that is free.")
def run(folder: Path, host: str, port: int) -> None:
    """Serve the witness of FOLDER until Ctrl-C. Alarms go to stderr and to FOLDER/alarms.jsonl."""
    from events.trust.witness import Witness
    from pipelines.witness.server import WitnessServer

    witness = Witness.open(folder)
    witness.last()  # a damaged state is told now, not to the first who asks
    with WitnessServer(witness, host, port) as server:
        click.echo(f"witness {witness.key.name} at {server.address}", err=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("witness: stopped", err=True)


@command.command()
@click.argument("folder", type=click.Path(path_type=Path))
def show(folder: Path) -> None:
    """Print the witness's key, where it stands, and its alarms. Exit 1 where there are any."""
    from events.trust.witness import ALARMS, LAST, Witness

    witness = Witness.open(folder)
    click.echo(str(witness.key.cosigner))
    if witness.last() is None:
        click.echo("nothing seen yet")
    else:
        click.echo(lines_unsteered((folder / LAST).read_text("utf-8")), nl=False)
    alarms = folder / ALARMS
    if alarms.exists():
        # of a house whose word does not fit: nothing in it is obeyed
        click.echo(lines_unsteered(alarms.read_text("utf-8")), nl=False, err=True)
        raise click.exceptions.Exit(1)
