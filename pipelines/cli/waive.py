"""`evenhand waive`: a finding accepted until a day, asked for by one and approved by another."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipelines.cli.account import actor_of, as_account
from pipelines.safe_text import say

if TYPE_CHECKING:
    from events.settings import Settings
    from pipelines.people.act import DeedBook


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="FINDING...|WAIVER")
@click.option("--reason", default="", help="Why, in a sentence; only an approval needs none.")
@click.option("--until", "until_text", metavar="DATE", help="Its last day.")
@click.option("--approve", "decision", flag_value="approved", help="Approve a waiver.")
@click.option("--refuse", "decision", flag_value="refused", help="Refuse a waiver.")
@click.option("--revoke", "decision", flag_value="revoked", help="End a waiver, or take it back.")
@as_account
def command(
    ids: tuple[str, ...],
    reason: str,
    until_text: str | None,
    decision: str | None,
    account: str | None,
) -> None:
    """Accept a FINDING of the warehouse, by its id, until the end of a day.

    It stays in the record and in every total, is shown as waived, and comes back when the waiver
    ends or when the finding changes. The next evenhand nightly counts it as waived.

    Where the house has accounts (evenhand users), one asks with --as ACCOUNT, and another approves:
    evenhand waive WAIVER --approve --as OTHER. Without any account one person alone waives it, and
    the record says so.
    """
    from events.settings import load_settings
    from pipelines.people.act import DeedBook

    settings = load_settings()
    book = DeedBook(settings.home)
    if decision is not None:
        _decide(book, ids, decision, reason, account)
        return
    if not reason.strip():
        raise click.UsageError("--reason: expected why it is accepted, found none")
    if until_text is None:
        raise click.UsageError("--until: expected the last day of the waiver, found none")
    _ask(settings, book, ids, reason, until_text, account)


def _decide(
    book: DeedBook, ids: tuple[str, ...], decision: str, reason: str, account: str | None
) -> None:
    actor = actor_of(book, account)
    for waiver in ids:
        book.decide_waiver(actor, f"waiver_{decision}", waiver, reason)
        say(f"{waiver}: {decision} by {actor.who}")


def _ask(
    settings: Settings,
    book: DeedBook,
    ids: tuple[str, ...],
    reason: str,
    until_text: str,
    account: str | None,
) -> None:
    from pipelines.people.waivers import bad_end

    today = datetime.now(UTC).astimezone(settings.timezone).date()
    until = _day(until_text)
    if (wrong := bad_end(until, today, settings.people.waiver_max_days)) is not None:
        raise click.UsageError(f"--until: {wrong}")
    found = [_finding(settings.home, name) for name in dict.fromkeys(ids)]
    actor = actor_of(book, account)
    entry = book.ask_waiver(actor, found, reason=reason, until=until, run=found[0]["run"])
    name, why = entry.details["waiver"], entry.details["reason"]
    for one in found:
        say(f"{name}: {one['message']}")
    if entry.what == "waiver_given":
        say(f"waived by {actor.who} until {until}: {why}")
        say(
            "one person alone, because this house has no accounts; with evenhand users add a "
            "second one has to approve"
        )
    else:
        say(f"asked for by {actor.who}, until {until}: {why}")
        say(f"it counts once another has approved it: evenhand waive {name} --approve --as ACCOUNT")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.UsageError(
            f"--until: expected a date like 2026-11-15, found {text!r}"
        ) from None


def _finding(home: Path, name: str) -> dict[str, Any]:
    """The finding as the warehouse has it now."""
    from checks.tables import FINDINGS
    from events.contract import did_you_mean
    from events.errors import EvenhandError
    from pipelines.warehouse.read import open_readonly

    names = [*FINDINGS.names, "run"]
    with open_readonly(home) as db:
        rows = db.execute(
            f"SELECT {', '.join(FINDINGS.names)}, (SELECT any_value(run) FROM runs "
            "WHERE runs.day = findings.day AND current) FROM findings WHERE id = ? "
            "ORDER BY day DESC",
            [name],
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
    return dict(zip(names, rows[0], strict=True))
