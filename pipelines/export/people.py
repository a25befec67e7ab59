"""What people did about a period: the entries of its days, and all that concern its findings."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa

from events.settings import Settings
from pipelines.people.act import DeedBook
from pipelines.people.rows import log_rows
from pipelines.warehouse.words import PEOPLE_LOG

if TYPE_CHECKING:
    import duckdb


def people_of(
    db: duckdb.DuckDBPyConnection | None, settings: Settings, first: date, last: date
) -> pa.Table:
    """In the order of the log, which is read as it is now and not as it was when last published.

    A decision on a finding is often taken days later, so an entry belongs here when it was made in
    the period or is about one of its findings, or about a waiver of one.
    """
    book = DeedBook(settings.home)
    found = set() if db is None else _findings(db, first, last)
    waivers = book.people().waivers
    found |= {name for name, w in waivers.items() if not found.isdisjoint(w.findings)}
    start, end = settings.gaming_day.start_of(first), settings.gaming_day.end_of(last)
    entries = [
        e
        for e in book.log.read().entries
        if start <= e.at < end or not found.isdisjoint(e.deed.subjects)
    ]
    return pa.Table.from_pylist(log_rows(entries), PEOPLE_LOG)


def _findings(db: duckdb.DuckDBPyConnection, first: date, last: date) -> set[str]:
    rows = db.execute("SELECT id FROM findings WHERE day BETWEEN ? AND ?", [first, last])
    return {str(row[0]) for row in rows.fetchall()}
