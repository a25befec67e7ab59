"""`evenhand waive`: a finding accepted, with a reason, a name and an end."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import click

from pipelines.safe_text import say


@click.command()
@click.argument("finding")
@click.option("--reason", required=True, help="Why it is accepted, in a sentence.")
@click.option("--by", required=True, metavar="NAME", help="Who accepts it.")
@click.option("--until", "until_text", required=True, metavar="DATE", help="Its last day.")
def command(finding: str, reason: str, by: str, until_text: str) -> None:
    """Accept a FINDING of the warehouse, by its id, until the end of a day.

    It stays in the record, is shown as waived, and comes back when the waiver ends or when the
    finding changes. The next evenhand nightly counts it as waived.
    """
    from checks.waivers import FILE_NAME, add_waiver, make_waiver
    from events.settings import load_settings

    settings = load_settings()
    now = datetime.now(UTC)
    until = _last_day(until_text, now.astimezone(settings.timezone).date())
    found = _finding(settings.home, finding)
    waiver = make_waiver(found, reason=reason, by=by, until=until, at=now)
    add_waiver(settings.home / FILE_NAME, waiver)
    say(f"{waiver.id}: {found['message']}")
    say(f"waived by {waiver.by} until {until}: {waiver.reason}")


def _last_day(text: str, today: date) -> date:
    try:
        until = date.fromisoformat(text)
    except ValueError:
        raise click.UsageError(
            f"--until: expected a date like 2026-11-15, found {text!r}"
        ) from None
    if until < today:
        raise click.UsageError(f"--until: expected today ({today}) or later, found {until}")
    return until


def _finding(home: Path, name: str) -> dict[str, Any]:
    """The finding as the warehouse has it now."""
    from checks.tables import FINDINGS
    from events.contract import did_you_mean
    from events.errors import EvenhandError
    from pipelines.warehouse.read import open_readonly

    columns = ", ".join(FINDINGS.names)
    with open_readonly(home) as db:
        rows = db.execute(
            f"SELECT {columns} FROM findings WHERE id = ? ORDER BY day DESC", [name]
        ).fetchall()
        if not rows:
            near = db.execute(
                "SELECT id FROM findings WHERE starts_with(id, ?) LIMIT 20", [name[:4]]
            ).fetchall()
            hint = did_you_mean(name, [row[0] for row in near])
            raise EvenhandError(
                f"finding {name}: the warehouse has none of that id{hint}; "
                'evenhand sql "SELECT id, message FROM findings" lists them'
            )
    return dict(zip(FINDINGS.names, rows[0], strict=True))
