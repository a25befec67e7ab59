"""`evenhand evidence`: one round sealed so that it stands alone, or such a file checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from pipelines.evidence.make import Made


@click.command(name="evidence")
@click.argument("round_id", required=False, metavar="[ROUND]")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE.zip")
@click.option("--reading", "readings", multiple=True, metavar="ID=other", help="Read otherwise.")
@click.option(
    "--verify", "verify_path", type=click.Path(path_type=Path), metavar="FILE.zip",
    help="Check a file, offline: exit 0 sound, also where the verdict adds that other software "
    "made it; 1 not sound.",
)  # fmt: skip
@click.option(
    "--checkpoints",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A copy kept elsewhere: verify against it, or rest the evidence on what it has.",
)
@click.option(
    "--trust",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --verify: keys that you know, one name+number+key a line.",
)
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON, nothing else.")
def command(
    round_id: str | None,
    output: Path | None,
    readings: tuple[str, ...],
    verify_path: Path | None,
    checkpoints: Path | None,
    trust: Path | None,
    as_json: bool,
) -> None:
    """Seal one round's evidence, or check evidence somebody sent.

    The file holds the round's bytes as they came, hashes of the table's other events that a
    checkpoint sealed with them, the answer with its explanation, and a page; its README says what
    it proves.
    """
    if verify_path is not None:
        if round_id is not None or output is not None:
            raise click.UsageError("--verify FILE.zip stands alone: it needs no round and no -o")
        sys.exit(_verify(verify_path, checkpoints, trust, as_json=as_json))
    if round_id is None or output is None:
        raise click.UsageError("which round, and into which file? evenhand evidence ROUND -o FILE")
    _make(round_id, output, readings, checkpoints)


def _verify(path: Path, checkpoints: Path | None, trust: Path | None, *, as_json: bool) -> int:
    from events.checkpoints import load_checkpoints
    from events.trust.keyfiles import read_known_keys
    from pipelines.evidence.verify import verify_file

    kept = load_checkpoints(checkpoints, kept=True) if checkpoints is not None else None
    trusted = None if trust is None else read_known_keys(trust)
    verdict = verify_file(path, kept, trusted)
    if as_json:
        click.echo(for_json(verdict.to_json(), indent=1))
        return 0 if verdict.sound else 1
    m = verdict.material
    what = "" if m is None else f": round {m.round} at {m.table}"
    say(f"{verdict.text if verdict.sound else 'NOT SOUND'}{what}")
    for wrong in verdict.wrong:
        say(f"  {wrong.kind}: {wrong.message}")
    for note in verdict.notes:
        say(f"  {note}")
    if verdict.word:
        say("  the maker's word, which nothing in the file proves:")
    for one in verdict.word:
        say(f"    {one.statement}: {one.says}")
    return 0 if verdict.sound else 1


def _make(round_id: str, output: Path, readings: tuple[str, ...], kept: Path | None) -> None:
    from events.runtime.durable import TAKEN_AWAY, write_whole
    from events.settings import load_settings
    from pipelines.cli.replay import turned_readings
    from pipelines.evidence.make import make
    from pipelines.evidence.verify import verify

    if not output.parent.is_dir():
        raise click.UsageError(f"-o {output}: there is no folder {output.parent}")
    made = make(load_settings(), round_id, turned_readings(readings), kept=kept)
    verdict = verify(made.content)
    write_whole(output, made.content, TAKEN_AWAY)
    _tell(output, made)
    for wrong in verdict.wrong:
        say(f"evenhand: the record itself is not sound: {wrong.message}", err=True)
    for note in verdict.notes:
        say(f"  {note}", err=True)


def _tell(output: Path, made: Made) -> None:
    from pipelines.evidence.material import spans

    m = made.material
    say(
        f"{output}: round {m.round}, {spans(m.numbers())} of {m.table}, {len(m.chain):,} hashes of "
        f"its chain, {len(made.content):,} bytes",
        err=True,
    )
