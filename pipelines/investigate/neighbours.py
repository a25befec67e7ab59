"""The context of one round in the archive, found as the night finds it: from its table's day, the
days around it, checkpoints, quarantine, and the published run.

Nothing here folds the day: of its columns only those are read that tell about record and shoes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from checks.around import Surroundings, ends_of
from checks.context import MeterWord, RoundContext, has_meter
from checks.in_day import CONTEXT_COLUMNS, DayContexts
from checks.late import decides
from checks.record.columns import undecodable
from events.checkpoints import load_checkpoints
from events.codec import body_of, hash_body
from events.errors import InputError
from events.model import Envelope
from events.registry import load_registry
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


def premises_of(settings: Settings, archive: Archive) -> Premises:
    """The house that the settings describe, its archive open."""
    return Premises(archive, settings.home, settings.checkpoints_file, settings.tables_file)


Seen = tuple[tuple[Envelope, ...], tuple["StoredMessage", ...], RoundContext]


def look_around(premises: Premises, found: FoundRound) -> Seen:
    """The round's events that count, by number, their messages, and the round's context."""
    day, table = found.day, found.table
    columns = premises.archive.read_tables(day, [table], CONTEXT_COLUMNS)
    known = load_checkpoints(premises.checkpoints, tables={table})
    registry = load_registry(premises.tables)
    surroundings = Surroundings(premises.archive, day, known, table=table, registry=registry)
    contexts = DayContexts(day, columns, surroundings.of(table, ends_of(columns)))
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
    unread = undecodable(day, surroundings.of_nobody(), None)  # what names the round, and no table
    more = tuple(finding for finding in unread if finding.round == found.round)
    context = replace(context, record=(*context.record, *more))
    if has_meter(round_):
        context = replace(context, meter=_meter(premises.home, found))
    return events, tuple(message for message, _ in kept), context


def _counting(found: FoundRound, contexts: DayContexts) -> list[tuple[StoredMessage, Envelope]]:
    """The round's events, one per number: where several claim one, the one that the day counts."""
    import pyarrow.compute as pc

    rows = contexts.events.filter(pc.field("round") == found.round)
    pairs = {
        hash_body(body_of(message.value)): (message, event)
        for message, event in reversed(list(zip(found.messages, found.events, strict=True)))
    }
    return [pairs[digest] for digest in rows["hash"].to_pylist() if digest is not None]


def _meter(home: Path, found: FoundRound) -> MeterWord | None:
    """What the published run says of the meters that tables share; None where there is none."""
    from pipelines.warehouse.said import meter_word

    return meter_word(home, found.day, found.table, found.round)
