"""Verification: the archive against itself. Checksums, columns and chain, made anew from the
evidence; the journal says what must be there, the evidence what it says.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

from events.archive.about import damaged_journal, must_be_ours, must_be_whole
from events.archive.check_chain import ChainWalk
from events.archive.check_files import check_files
from events.archive.check_seals import quarantine_problems, seal_breaks, with_breaks
from events.archive.errors import DamagedError
from events.archive.findings import ArchiveProblem, DayReport, Trouble, VerifyReport
from events.archive.journal import snapshot
from events.archive.reader import Archive
from events.archive.rebuild import compare, count_tables, rebuild
from events.checkpoints import Checkpoint
from events.errors import EvenhandError


def verify(
    archive: Archive,
    day: date | None = None,
    known: Mapping[str, Mapping[int, bytes]] | None = None,
    progress: Callable[[DayReport], None] = lambda _: None,
    kept: Sequence[Checkpoint] = (),
) -> VerifyReport:
    """Look at every day, or at one. `known`: heads of checkpoints that were kept elsewhere; `kept`:
    the checkpoints themselves, for their seals.

    Of one day the chain is followed from its first event to its last; events that other days have
    of that stretch are taken from their columns. A journal that can't be read is a DamagedError.
    """
    must_be_whole(archive.db, archive.layout)
    try:
        return _verify(archive, day, known or {}, progress, kept)
    except (sqlite3.DatabaseError, ValueError) as error:
        if isinstance(error, EvenhandError):
            raise
        raise damaged_journal(archive.layout, error) from error


def _verify(
    archive: Archive,
    day: date | None,
    known: Mapping[str, Mapping[int, bytes]],
    progress: Callable[[DayReport], None],
    kept: Sequence[Checkpoint],
) -> VerifyReport:
    problems = _problems_of_journal(archive)
    with snapshot(archive.db):  # one moment of the journal, whatever an ingest adds meanwhile
        if day is not None:
            archive.manifest(day)  # a day that is not there is an error, not an empty report
        walk = ChainWalk(archive, _within(archive, day, known), part=day is not None)
        sources = [e.message for e in archive.source_events()]
        report = VerifyReport(problems=problems, sources=sources)
        for one in [day] if day is not None else archive.days():
            report.days.append(_verify_day(archive, one, walk))
            progress(report.days[-1])
        walk.finish_days()
        spans = None if day is None else _spans(archive, day)
        report.tables = with_breaks(walk.reports(), seal_breaks(archive, kept, spans))
        report.problems += quarantine_problems(archive, kept)
    return report


def _problems_of_journal(archive: Archive) -> list[ArchiveProblem]:
    """What is said against the journal; the days are looked at all the same."""
    try:
        must_be_ours(archive.db, archive.layout)
    except DamagedError as error:
        return [ArchiveProblem(Trouble.JOURNAL_DIFFERS, str(error))]
    return []


def _verify_day(archive: Archive, day: date, walk: ChainWalk) -> DayReport:
    report = DayReport(day)
    report.quarantined = sum(1 for _ in archive.quarantine(day))
    check_files(archive, report)
    with tempfile.TemporaryDirectory(prefix="evenhand-verify-") as scratch:
        rebuilt = rebuild(archive, report, Path(scratch))
        if rebuilt.whole:
            count_tables(archive, report, rebuilt)
        for names, columns in rebuilt.groups():
            # damaged evidence is reported as such; that the columns have more is no news
            if rebuilt.whole:
                compare(archive, report, names, columns)
            walk.walk(day, columns)
    return report


def _within(
    archive: Archive, day: date | None, known: Mapping[str, Mapping[int, bytes]]
) -> Mapping[str, Mapping[int, bytes]]:
    """Of one day only those checkpoints count that lie in it."""
    if day is None:
        return known
    return {
        table: {seq: head for seq, head in known.get(table, {}).items() if first <= seq <= last}
        for table, (first, last) in _spans(archive, day).items()
    }


def _spans(archive: Archive, day: date) -> dict[str, tuple[int, int]]:
    """From which number to which a day has each table's events."""
    sql = "SELECT table_id, first_seq, last_seq FROM day_tables WHERE day = ?"
    rows = archive.db.execute(sql, (day.isoformat(),)).fetchall()
    return {table: (first, last) for table, first, last in rows}
