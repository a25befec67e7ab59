"""Verification: the archive against itself. Checksums, columns and chain, made anew from the
evidence; the journal says what must be there, the evidence what it says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

from events.archive.check_chain import ChainWalk
from events.archive.check_files import check_files
from events.archive.findings import DayReport, Report
from events.archive.journal import snapshot
from events.archive.reader import Archive
from events.archive.rebuild import compare, count_tables, rebuild


def verify(
    archive: Archive,
    day: date | None = None,
    known: Mapping[str, Mapping[int, bytes]] | None = None,
    progress: Callable[[DayReport], None] = lambda _: None,
) -> Report:
    """Look at every day, or at one. `known`: checkpoints that were kept elsewhere.

    Of one day the chain is followed from its first event to its last; events that other days have
    of that stretch are taken from their columns.
    """
    with snapshot(archive.db):  # one moment of the journal, whatever an ingest adds meanwhile
        if day is not None:
            archive.manifest(day)  # a day that is not there is an error, not an empty report
        walk = ChainWalk(archive, _within(archive, day, known or {}), part=day is not None)
        report = Report(sources=[e.message for e in archive.source_events()])
        for one in [day] if day is not None else archive.days():
            report.days.append(_verify_day(archive, one, walk))
            progress(report.days[-1])
        walk.finish_days()
        report.tables = walk.reports()
    return report


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
    sql = "SELECT table_id, first_seq, last_seq FROM day_tables WHERE day = ?"
    spans = archive.db.execute(sql, (day.isoformat(),)).fetchall()
    return {
        table: {seq: head for seq, head in known.get(table, {}).items() if first <= seq <= last}
        for table, first, last in spans
    }
