"""The context of one round in the archive, found as the night finds it: from its table's day, the
days around it, checkpoints, quarantine, and the published run.

Nothing here folds the day: of its columns only those are read that tell about record and shoes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from checks.context import MeterWord, RoundContext, has_meter
from checks.in_day import DayContexts
from checks.late import decides
from events.codec import body_of, hash_body
from events.errors import InputError
from events.model import Envelope
from pipelines.investigate.table_days import TableDay, TableDays, look_at
from replay.fold import fold_round

if TYPE_CHECKING:
    from events.archive.evidence import StoredMessage
    from events.archive.finder import FoundRound
    from events.archive.reader import Archive
    from events.settings import Settings


@dataclass(frozen=True, slots=True)
class Premises:
    """Where a round is looked for: the archive, and what else of the house knows about it."""

    archive: Archive
    home: Path
    checkpoints: Path
    tables: Path
    look_at: Callable[[Premises, date, str], TableDay] = look_at  # or one that keeps some


def premises_of(
    settings: Settings, archive: Archive, table_days: TableDays | None = None
) -> Premises:
    """The house that the settings describe, its archive open. `table_days`: those that were made
    for somebody before."""
    look = look_at if table_days is None else table_days.of
    return Premises(archive, settings.home, settings.checkpoints_file, settings.tables_file, look)


Seen = tuple[tuple[Envelope, ...], tuple["StoredMessage", ...], RoundContext]


def look_around(premises: Premises, found: FoundRound) -> Seen:
    """The round's events that count, by number, their messages, and the round's context."""
    day, table = found.day, found.table
    seen = premises.look_at(premises, day, table)
    contexts = seen.contexts
    kept = _counting(found, contexts)
    if not kept:
        raise InputError(
            f"round {found.round} at {table}, gaming day {day}: it does not count, because none of "
            f"its events is part of the record: others with the same numbers are, or the signed "
            f"tail of the chain leaves them out; the findings of {table} tell more"
        )
    events = tuple(event for _, event in kept)
    round_ = fold_round(events, round_id=found.round)
    context = contexts.of(round_)
    if not decides(round_, context.next_round):
        context = replace(context, next_round=None)
    more = tuple(finding for finding in seen.unread if finding.round == found.round)
    context = replace(context, record=(*context.record, *more))
    if has_meter(round_):
        context = replace(context, meter=_meter(premises.home, found))
    return events, tuple(message for message, _ in kept), context


def _counting(found: FoundRound, contexts: DayContexts) -> list[tuple[StoredMessage, Envelope]]:
    """The round's events, one per number: where several claim one, the one that the day counts."""
    import pyarrow.compute as pc

    own = pc.equal(contexts.events["round"], found.round)  # type: ignore[call-overload]
    pairs = {
        hash_body(body_of(message.value)): (message, event)
        for message, event in reversed(list(zip(found.messages, found.events, strict=True)))
    }
    hashes = contexts.events["hash"].filter(own).to_pylist()
    return [pairs[digest] for digest in hashes if digest is not None]


def _meter(home: Path, found: FoundRound) -> MeterWord | None:
    """What the published run says of the meters that tables share; None where there is none."""
    from pipelines.warehouse.said import meter_word

    return meter_word(home, found.day, found.table, found.round)
