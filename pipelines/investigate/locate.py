"""Where a round is: in the archive by its id or by table and time, or in a file.

Nothing here scans a day. The archive's index finds the round's bytes; the table's own row group
of the day's columns says how its shoe began and whether the chain around it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checks.context import ALONE, RoundContext
from checks.in_file import FileContexts
from events.contract import did_you_mean
from events.errors import InputError
from events.model import Envelope
from events.trust.heads import GatewayKeys
from pipelines.investigate.neighbours import Premises, look_around

if TYPE_CHECKING:
    from events.archive.evidence import StoredMessage
    from events.archive.reader import Archive


@dataclass(frozen=True, slots=True)
class Located:
    """A round's events in order, and what it is judged by besides."""

    round: str
    events: tuple[Envelope, ...]
    where: str  # where it was found, in words
    table: str | None = None
    day: date | None = None
    messages: tuple[StoredMessage, ...] = ()  # the bytes as they came; empty for a file
    context: RoundContext = ALONE
    note: str | None = None  # what the person who asked should know about the choice


def in_archive(premises: Premises, round_id: str) -> Located:
    """A round by its id, or an UnknownRoundError that names ids that look like it."""
    from events.archive.finder import find_round
    from events.archive.journal import snapshot

    with snapshot(premises.archive.db):  # what comes meanwhile is in all of it or in none
        found = find_round(premises.archive, round_id)
        events, messages, context = look_around(premises, found)
    return Located(
        round=found.round,
        events=events,
        where=f"archive, gaming day {found.day}",
        table=found.table,
        day=found.day,
        messages=messages,
        context=context,
    )


def in_file(path: Path, round_id: str | None, keys: GatewayKeys | None = None) -> Located:
    """A round of a file; without an id the only one in it. `keys`: of the house's gateways."""
    from events.files import read_events

    file = FileContexts(read_events(path), keys)
    rounds = {round_.id: round_ for round_ in file.rounds}
    if round_id is None:
        if len(rounds) != 1:
            names = ", ".join(list(rounds)[:5]) or "none"
            raise InputError(f"{path} has {len(rounds)} rounds: name one of them ({names} ...)")
        round_id = next(iter(rounds))
    if round_id not in rounds:
        raise InputError(f"{path} has no round {round_id}{did_you_mean(round_id, rounds)}")
    round_ = rounds[round_id]
    return Located(
        round=round_id,
        events=tuple(e for e in file.events if e.round == round_id and e.type != "ShoeStarted"),
        where=str(path),
        table=round_.table,
        context=file.of(round_),
    )


def parse_moment(text: str, zone: Any) -> tuple[datetime, timedelta]:
    """A moment as people write it, and how exact it is; the house's clock unless a zone is given.

    A time that the house's clock showed twice or never (where clocks are put back or forward) is
    refused, because guessing would show another round than the one that was meant.
    """
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        at = None
    if at is None or len(text.strip()) < len("2026-11-15 23:41"):
        raise InputError(
            f'--at: expected a date and a time like "2026-11-15 23:41" or '
            f'"2026-11-15T23:41:07+08:00", found "{text}"'
        )
    exact = timedelta(minutes=1) if _no_seconds(text) else timedelta(0)
    if at.tzinfo is not None:
        return at, exact
    early, late = (at.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if early.utcoffset() != late.utcoffset():
        raise InputError(
            f'--at "{text}": the clock in {zone} showed that time twice or not at all; give it '
            f"with its offset, like {early.isoformat(timespec='minutes')}"
        )
    return early, exact


def _no_seconds(text: str) -> bool:
    clock = text.strip()[11:].replace("Z", "+").split("+")[0].split("-")[0]
    return clock.count(":") < 2


def at_table(premises: Premises, table: str, at: datetime, exact: timedelta) -> Located:
    """The round that a table was playing at a moment, with a word on what else it may be."""
    from events.archive.finder import round_at

    archive = premises.archive
    found = round_at(archive, table, at)
    end = at + max(exact - timedelta(seconds=1), timedelta(0))
    later = round_at(archive, table, end) if exact else found
    if found is None and later is None:
        raise InputError(_nothing_there(archive, table, at))
    round_id = found or later or ""
    located = in_archive(premises, round_id)
    ended = located.events[-1].at
    note = None
    if later not in {None, found} and found is not None:
        if ended is not None and ended < at:
            located, note = in_archive(premises, later or ""), None
        else:
            note = f"in the same minute {table} also began {later}"
    elif ended is not None and ended < at:
        note = f"{table} played no round at that moment; this is the last one before it"
    return replace(located, note=note)


def _nothing_there(archive: Archive, table: str, at: datetime) -> str:
    days = archive.days()
    tables = sorted({name for day in days[-60:] for name in archive.tables_of(day)})
    if table not in tables:
        has = ", ".join(tables[:6]) + (" ..." if len(tables) > 6 else "")
        return f"the archive has no table {table}{did_you_mean(table, tables)}; it has {has}"
    return f"table {table}: the archive has no round that began at or before {at:%Y-%m-%d %H:%M %Z}"
