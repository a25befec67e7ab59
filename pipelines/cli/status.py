"""`evenhand status`: what runs, how far it is, and what needs a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipelines.safe_text import for_json, say

if TYPE_CHECKING:
    from pipelines.services.state import HouseState
    from pipelines.services.status import ArchiveState, HouseStatus, LagState, NightState

_SHOWN = 5


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(as_json: bool) -> None:
    """Say in ten lines what runs, the lag, the last night, what is open and what needs a person.

    Exit code 0 whatever it says; `needs` of --json is empty where nothing needs a person.
    """
    from events.settings import load_settings
    from pipelines.services.status import look_at_house

    settings = load_settings()
    status = look_at_house(settings)
    status.needs[:0] = _doubts(settings.home)
    if as_json:
        click.echo(for_json(status.to_json(), indent=1))
        return
    for name, text in _lines(status):
        say(f"{name:<12}{text}")


def _doubts(home: Path) -> list[str]:
    """What is open is read from the catalogue, so a changed one is said first. /metrics does not
    hash it every few seconds; the desk says it on its pages."""
    from events.errors import EvenhandError
    from pipelines.warehouse.chain import catalogue_doubt

    try:
        doubt = catalogue_doubt(home)
    except EvenhandError as error:
        return [f"{error}; evenhand verify"]
    return [] if doubt is None else [doubt]


def _lines(status: HouseStatus) -> list[tuple[str, str]]:
    free = f", {status.disk_free / 2**30:,.0f} GiB free" if status.disk_total else ""
    return [
        ("home", f"{status.home}{free}"),
        ("running", _running(status.up, status.archive)),
        ("archive", _archive(status.archive)),
        ("behind", "; ".join(map(_behind, status.lag)) or "no log here"),
        ("night", _night(status.night)),
        ("due", ", ".join(status.night.due) if status.night and status.night.due else "nothing"),
        ("open", _open(status.night)),
        ("checkpoint", _checkpoint(status)),
        *_needs(status),
    ]


def _running(up: HouseState | None, archive: ArchiveState | None) -> str:
    if up is None:
        pid = archive.ingest_pid if archive else None
        alone = f"ingest (process {pid})" if pid else "nothing"
        return f"{alone}; evenhand up runs everything"
    parts = [
        f"{one.name} {'up' if one.pid else 'DOWN'}"
        + (f" ({one.restarts} restarts)" if one.restarts else "")
        for one in up.services
    ]
    return ", ".join(parts) + f", since {up.started_at}"


def _archive(archive: ArchiveState | None) -> str:
    if archive is None or not archive.days:
        return "empty"
    days = f"{archive.days:,} days, {archive.first_day} to {archive.last_day}"
    return f"{days}, last event {archive.last_event_at}, {archive.quarantined:,} in quarantine"


def _behind(lag: LagState) -> str:
    return f"{lag.source}: {'unknown' if lag.behind is None else f'{lag.behind:,} messages'}"


def _night(night: NightState | None) -> str:
    if night is None or night.last_day is None:
        return "none yet"
    return f"{night.last_day}, published {night.published_at} after {night.seconds} s"


def _open(night: NightState | None) -> str:
    if night is None or night.last_day is None:
        return "nothing audited yet"
    counts = [f"{number:,} {name}" for name, number in night.open_findings.items() if number]
    text = ", ".join(counts) or "no findings"
    text += f", {night.waived:,} waived" if night.waived else ""
    return text + (
        f"; oldest of money or integrity {night.oldest_open}" if night.oldest_open else ""
    )


def _checkpoint(status: HouseStatus) -> str:
    text = status.last_checkpoint or "none yet"
    if status.witnesses:
        signed = sum(one.signed_newest for one in status.witnesses)
        text += f", the newest signed by {signed} of {len(status.witnesses)} witnesses"
    return text


def _needs(status: HouseStatus) -> list[tuple[str, str]]:
    if not status.needs:
        return [("needs you", "nothing")]
    shown = [("needs you", text) for text in status.needs[:_SHOWN]]
    if len(status.needs) > _SHOWN:
        shown.append(("", f"and {len(status.needs) - _SHOWN} more; --json lists all"))
    return shown
