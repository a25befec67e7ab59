"""Where a round is: in the archive by its id or by table and time, or in a file.

Nothing here scans a day. The archive's index finds the round's bytes; the table's own row group
of the day's columns says how its shoe began and whether the chain around it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checks.record import examine
from events.contract import did_you_mean
from events.errors import InputError
from events.model import Envelope, RoundOpened
from pipelines.investigate.neighbours import COLUMNS, look_around
from replay.answer import Finding
from replay.rounds import group

if TYPE_CHECKING:
    from events.archive.evidence import StoredMessage
    from events.archive.reader import Archive


@dataclass(frozen=True, slots=True)
class Located:
    """A round's events in order, and what of the world around it the audit may know."""

    round: str
    events: tuple[Envelope, ...]
    shuffled: bool | None  # how its shoe began, where that is known
    where: str  # where it was found, in words
    table: str | None = None
    day: date | None = None
    messages: tuple[StoredMessage, ...] = ()  # the bytes as they came; empty for a file
    problems: tuple[Finding, ...] = ()  # of the record and the shoe
    next_round: tuple[str, int] | None = None  # which began next at the table, with which event
    note: str | None = None  # what the person who asked should know about the choice


def in_archive(archive: Archive, round_id: str) -> Located:
    """A round by its id, or an UnknownRoundError that names ids that look like it."""
    from events.archive.finder import find_round

    found = find_round(archive, round_id)
    columns = archive.read_tables(found.day, [found.table], COLUMNS)
    around = look_around(found, columns)
    return Located(
        found.round,
        tuple(event for _, event in around.kept),
        around.shuffled,
        f"archive, gaming day {found.day}",
        found.table,
        found.day,
        tuple(message for message, _ in around.kept),
        around.problems,
        around.next_round,
    )


def in_file(path: Path, round_id: str | None) -> Located:
    """A round of a file; without an id the only one in it."""
    from events.files import read_events

    events, wrong = examine(read_events(path))
    rounds = {found[0]: found for found in group(events)}
    if round_id is None:
        if len(rounds) != 1:
            names = ", ".join(list(rounds)[:5]) or "none"
            raise InputError(f"{path} has {len(rounds)} rounds: name one of them ({names} ...)")
        round_id = next(iter(rounds))
    if round_id not in rounds:
        raise InputError(f"{path} has no round {round_id}{did_you_mean(round_id, rounds)}")
    _, own, shuffled = rounds[round_id]
    return Located(
        round_id,
        tuple(own),
        shuffled,
        str(path),
        own[0].table,
        problems=tuple(wrong.get(round_id, ())),
        next_round=_next_in(events, own),
    )


def _next_in(events: list[Envelope], own: list[Envelope]) -> tuple[str, int] | None:
    """The next round of the same table, where events are numbered."""
    first = own[0]
    if first.seq is None:
        return None
    for e in events:
        begins = isinstance(e.event, RoundOpened) and e.table == first.table
        if (
            begins
            and e.seq is not None
            and e.seq > first.seq
            and e.round not in {None, first.round}
        ):
            return e.round or "", e.seq
    return None


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


def at_table(archive: Archive, table: str, at: datetime, exact: timedelta) -> Located:
    """The round that a table was playing at a moment, with a word on what else it may be."""
    from events.archive.finder import round_at

    found = round_at(archive, table, at)
    end = at + max(exact - timedelta(seconds=1), timedelta(0))
    later = round_at(archive, table, end) if exact else found
    if found is None and later is None:
        raise InputError(_nothing_there(archive, table, at))
    round_id = found or later or ""
    located = in_archive(archive, round_id)
    ended = located.events[-1].at
    note = None
    if later not in {None, found} and found is not None:
        if ended is not None and ended < at:
            located, note = in_archive(archive, later or ""), None
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
