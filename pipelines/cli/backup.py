"""`evenhand backup`: a second copy of the home, taken while everything runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from pipelines.backup.record import BackupFolder

_SHOWN = 20


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--list", "listing", is_flag=True, help="Say which backups the folder has.")
@click.option("--check", is_flag=True, help="Read every byte of the last backup and check it.")
@click.option("--with-keys", is_flag=True, help="Take private keys too; else they are left out.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(folder: Path, listing: bool, check: bool, with_keys: bool, as_json: bool) -> None:
    """Copy the home into DIR: every file by its hash, only what is new since the last backup.

    Ingest, night and desk may go on meanwhile. The days that are new in the copy are rebuilt from
    its own evidence and held against the checkpoints. Exit code 0: taken and sound. 1: taken, and
    something in it is not as journal or checkpoints say. 2: not taken.
    """
    from pipelines.backup.record import BackupFolder

    kept = BackupFolder(folder)
    if listing:
        _list(kept, as_json=as_json)
    elif check:
        _check(kept, as_json=as_json)
    else:
        _take(kept, with_keys=with_keys, as_json=as_json)


def _take(kept: BackupFolder, *, with_keys: bool, as_json: bool) -> None:
    from events.settings import home_in_force
    from pipelines.backup.check import against_checkpoints, days_of
    from pipelines.backup.take import take_backup

    with showing("copying") as told:
        done = take_backup(home_in_force(), kept, with_keys=with_keys, told=told)
    days = days_of(done.changed)
    problems = [*done.problems, *against_checkpoints(kept, done.record, days)]
    if as_json:
        out = {
            "backup": done.record.name,
            "files": len(done.record.files),
            "new": len(done.changed),
            "bytes_read": done.bytes_read,
            "days_checked": [day.isoformat() for day in days],
            "left_out": list(done.record.left_out),
            "problems": problems,
        }
        click.echo(for_json(out, indent=1))
    else:
        say(
            f"backup {done.record.name} in {kept.root}: {len(done.record.files):,} files, "
            f"{len(done.changed):,} of them new or changed ({done.bytes_read / 2**20:,.1f} MiB "
            f"read), {len(days)} days checked against journal and checkpoints"
        )
        if done.record.left_out:
            say(f"left out, because they are private keys: {', '.join(done.record.left_out)}")
        _tell(problems)
    sys.exit(1 if problems else 0)


def _check(kept: BackupFolder, *, as_json: bool) -> None:
    from pipelines.backup.check import against_checkpoints, damaged_objects, days_of
    from pipelines.backup.restore import choose

    record = choose(kept, None)
    problems = damaged_objects(kept, record)
    if not problems:
        problems = against_checkpoints(kept, record, days_of(list(record.by_path)))
    if as_json:
        click.echo(for_json({"backup": record.name, "problems": problems}, indent=1))
    else:
        _tell(problems)
        verdict = f"{len(problems):,} things are wrong" if problems else "every byte is as it was"
        say(f"backup {record.name}: {len(record.files):,} files, {verdict}")
    sys.exit(1 if problems else 0)


def _list(kept: BackupFolder, *, as_json: bool) -> None:
    found = [kept.read(name)[0] for name in kept.names()]
    if as_json:
        rows = [{"backup": r.name, "made_at": r.made_at, "files": len(r.files)} for r in found]
        click.echo(for_json(rows, indent=1))
        return
    for record in found:
        size = sum(one.size for one in record.files) / 2**20
        say(f"{record.name}  {len(record.files):,} files, {size:,.1f} MiB  {record.software}")
    if not found:
        say(f"{kept.root}: no backup here yet")


def _tell(problems: list[str]) -> None:
    for problem in problems[:_SHOWN]:
        say(f"wrong: {problem}")
    if len(problems) > _SHOWN:
        say(f"and {len(problems) - _SHOWN:,} more; --json lists all")


@contextmanager
def showing(what: str) -> Iterator[Callable[[str, int], None]]:
    """Progress by files on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda path, size: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:,.0f} MiB"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda path, size: bar.advance(task, size / 2**20)
