"""Whom the morning page asks: one connection on which all days stand, and what people decided.

The desk asks the published catalogue; the night, which has not published yet, asks the catalogue of
its own day with the published one beside it. Both have the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from pipelines.night.context import Night
from pipelines.warehouse.connect import connect_stage
from pipelines.warehouse.sql_text import literal

Row = dict[str, Any]
Parameters = Sequence[Any] | Mapping[str, Any]

_CASE: list[pa.Field[Any]] = [
    pa.field("id", pa.string()),  # the finding
    pa.field("state", pa.string()),  # new, assigned, in review, confirmed, explained, closed
    pa.field("assignee", pa.string()),
    pa.field("due", pa.date32()),
    pa.field("waiver", pa.string()),  # that covers it now; what the run said counts no more
]
CASES = pa.schema(_CASE)
"""What people decided since: a row per finding that somebody touched, as `cases_now`."""

WAIVER = "(CASE WHEN c.id IS NULL THEN f.waiver ELSE c.waiver END)"
"""The waiver that covers a finding `f` with its case `c`: it may have been revoked since."""
STATE = f"coalesce(c.state, 'new') || CASE WHEN {WAIVER} IS NOT NULL THEN ', waived' ELSE '' END"
OPEN = f"(coalesce(c.state, 'new') NOT IN ('explained', 'closed') AND {WAIVER} IS NULL)"
"""Of a finding `f` with its case `c`: whether somebody has to do something."""
WITH_CASES = "findings f LEFT JOIN cases_now c USING (id)"


class Asking:
    """Questions to a connection, answered as dictionaries."""

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db

    def rows(self, sql: str, params: Parameters = ()) -> list[Row]:
        answer = self._db.execute(sql, params)
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def one(self, sql: str, params: Parameters = ()) -> Row | None:
        found = self.rows(sql, params)
        return found[0] if found else None

    def value(self, sql: str, params: Parameters = ()) -> Any:
        return self._db.execute(sql, params).fetchall()[0][0]

    def with_cases(self, cases: pa.Table) -> None:
        """Let `cases_now` stand for these, on this connection alone."""
        self._db.register("cases_now", cases)


_TABLES = ("findings", "daily_figures", "dealer_figures", "data_quality")
_FILES = {"daily_figures": "figures", "dealer_figures": "dealers", "data_quality": "quality"}


@contextmanager
def before_publishing(night: Night) -> Iterator[Asking]:
    """The day as it will be published, among the days that are."""
    with connect_stage(night.folder.stage) as db:
        past = night.warehouse.catalogue
        known: set[str] = set()
        if past.exists():
            db.execute(f"ATTACH {literal(past)} AS past (READ_ONLY)")
            known = {
                row[0]
                for row in db.execute(
                    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'past'"
                ).fetchall()
            }
        day = literal(night.day)
        for name in _TABLES:
            own = f"stage.main.{name}"
            if name in _FILES:
                file = literal(night.folder.small(_FILES[name]))
                own = f"read_parquet({file}, hive_partitioning = false)"
            sql = f"SELECT * FROM {own}"
            if name in known:
                sql += f" UNION ALL BY NAME SELECT * FROM past.main.{name} WHERE day <> {day}"
            db.execute(f"CREATE TEMP VIEW {name} AS {sql}")
        if "finding_history" in known:
            db.execute(
                "CREATE TEMP VIEW finding_history AS SELECT * FROM past.main.finding_history"
            )
        asked = Asking(db)
        asked.with_cases(CASES.empty_table())
        yield asked
