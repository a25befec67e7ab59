"""`evenhand restore`: a home made from a backup again."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.safe_text import say


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--at", "name", metavar="BACKUP", help="Not the last one; backup --list names them.")
def command(folder: Path, name: str | None) -> None:
    """Make EVENHAND_HOME from the backup in DIR.

    The home must not be there yet. Every content is checked against its hash while it is written,
    and the home appears whole or not at all. Its catalogue then names the files where they are
    now. Exit code 0: restored. 2: not, and why.
    """
    from events.settings import home_in_force
    from pipelines.backup.record import BackupFolder
    from pipelines.backup.restore import choose, restore_home
    from pipelines.cli.backup import showing

    home, kept = home_in_force(), BackupFolder(folder)
    record = choose(kept, name)
    with showing("restoring") as told:
        done = restore_home(home, kept, record, told)
    say(f"{home}: restored {len(record.files):,} files from backup {record.name}")
    for sentence in done:
        say(sentence)
    if record.left_out:
        say(f"not in the backup, put them back yourself: {', '.join(record.left_out)}")
    say("evenhand verify rebuilds everything from the evidence, if you want to see it proved")
