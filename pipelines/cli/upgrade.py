"""`evenhand upgrade`: a home that an earlier version left, moved to the formats of this one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from pipelines.safe_text import say


@click.command()
def command() -> None:
    """Move a home of an earlier version to the formats of this one.

    Settings, archive, waivers and warehouse, step by step; each step is whole or not done, so that
    it can be killed and run again. Also builds the catalogue anew for a home that was moved to
    another folder. With nothing to do it says so. Stop ingest first where the archive has to move.
    """
    from events.archive.upgrade import archive_version, upgrade_archive
    from events.formats import ARCHIVE, SETTINGS, WAREHOUSE
    from events.settings import home_in_force, settings_file
    from events.settings.upgrade import upgrade_settings
    from pipelines.warehouse.layout import warehouse_of
    from pipelines.warehouse.upgrade import upgrade_warehouse, why_outdated

    home = home_in_force()
    parts: tuple[Callable[[], list[str]], ...] = (
        partial(upgrade_settings, settings_file(home, Path.cwd())),
        partial(upgrade_archive, home / "archive"),
        partial(upgrade_warehouse, warehouse_of(home)),
        partial(_upgrade_waivers, home),
    )
    # a newer part is refused before any other is touched
    archive_version(home / "archive")
    why_outdated(warehouse_of(home))
    done = 0
    for move in parts:
        for sentence in move():
            say(sentence)
            done += 1
    if not done:
        now = ", ".join(f"{f.part} {f.version}" for f in (SETTINGS, ARCHIVE, WAREHOUSE))
        say(f"{home}: nothing to do, all is in the formats of this version ({now})")


def _upgrade_waivers(home: Path) -> list[str]:
    from pipelines.people.act import DeedBook

    if not DeedBook(home).take_over():
        return []
    return ["people: the waivers of waivers.jsonl were taken into the log of what people do"]
