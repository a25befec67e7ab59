"""Rounds that got something after they had left the window: judged from the archive's day."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import date

from checks.around import Surroundings, ends_of
from checks.in_day import DayContexts
from checks.table_day import audit_bounded
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.registry import load_registry
from events.settings import Settings
from pipelines.watch.told import LiveWord, StandingFindings, differing
from replay.columns import rounds_of
from replay.facts import Round


def audited_again(
    settings: Settings,
    table: str,
    seqs: Collection[int],
    in_window: Collection[str],
    standing: StandingFindings,
    turned: Iterable[str] = (),
) -> list[LiveWord]:
    """What is to be told of a table's rounds, now that the archive has these late events.

    in_window: rounds that the window judges itself.
    """
    out: list[LiveWord] = []
    with Archive(settings.home / "archive") as archive:
        for day in _days_with(archive, table, seqs):
            out += _of_day(archive, settings, day, table, seqs, in_window, standing, turned)
    return out


def _days_with(archive: Archive, table: str, seqs: Iterable[int]) -> list[date]:
    """The table's days whose stretch of numbers has one of these."""
    sql = "SELECT day, first_seq, last_seq FROM day_tables WHERE table_id = ? ORDER BY day"
    spans = archive.db.execute(sql, (table,)).fetchall()
    wanted = list(seqs)
    return [
        date.fromisoformat(day)
        for day, first, last in spans
        if any(first <= seq <= last for seq in wanted)
    ]


def _of_day(
    archive: Archive,
    settings: Settings,
    day: date,
    table: str,
    seqs: Collection[int],
    in_window: Collection[str],
    standing: StandingFindings,
    turned: Iterable[str],
) -> Iterator[LiveWord]:
    events = archive.read_table_day(day, table)
    known = load_checkpoints(settings.checkpoints_file)
    around = Surroundings(
        archive, day, known, settings.gaming_day, table, load_registry(settings.tables_file)
    )
    contexts = DayContexts(day, events, around.of(table, ends_of(events)))
    chosen, numbers = frozenset(turned), frozenset(seqs)
    for round_ in rounds_of(contexts.events):
        if round_.id in in_window:
            continue
        told = dict(standing.of(table, round_.id))
        context = contexts.of(round_)
        if told or context.record or not numbers.isdisjoint(_numbers(round_)):
            answer, _ = audit_bounded(round_, context, chosen)
            found = {finding.id: finding for finding in answer.findings}
            yield from differing(found, told, table, round_.id, round_.dealer, round_.opened_at)


def _numbers(round_: Round) -> list[int]:
    return [seq for seq in round_.seqs or () if seq is not None]
