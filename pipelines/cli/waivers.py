"""`evenhand waivers`: what was accepted, by whom, and until when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import click

from pipelines.safe_text import for_json, say, terminal

if TYPE_CHECKING:
    from pipelines.people.waivers import HouseWaiver


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One list of objects.")
def command(as_json: bool) -> None:
    """List every waiver that was ever asked for or given, and whether it holds."""
    from events.settings import load_settings
    from pipelines.people.act import DeedBook

    settings = load_settings()
    today = datetime.now(UTC).astimezone(settings.timezone).date()
    book = DeedBook(settings.home)
    waivers = list(book.people().waivers.values())
    for problem in book.log.read().problems:
        say(f"evenhand: {problem.message}; what it says from there on does not count", err=True)
    if as_json:
        told = [one for w in waivers for one in _plain(w, today)]
        click.echo(for_json(told, indent=2))
        return
    if not waivers:
        say("nothing was waived")
        return
    from pipelines.tables import columns, print_table

    heads = columns(
        "waiver", "finding", "state", "until", "asked by", "decided by", "reason",
        folds=("finding", "until", "asked by", "decided by"), sentences=("reason",),
    )  # fmt: skip
    rows = []
    for w in waivers:
        decided = "one person alone" if w.alone and w.decided_by is None else w.decided_by or ""
        until = f"{w.until} (over)" if w.state_on(today) == "over" else f"{w.until}"
        rows.append((w.id, ", ".join(w.findings), w.state, until, w.asked_by, decided, w.reason))
    print_table(terminal(), heads, rows)


def _plain(waiver: HouseWaiver, today: date) -> list[dict[str, Any]]:
    """One object for each finding that it covers."""
    more = {
        "state": waiver.state,
        "decided_by": waiver.decided_by,
        "in_force": waiver.state_on(today) == "approved",
    }
    return [one.to_json() | more for one in waiver.plain()]
