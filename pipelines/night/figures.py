"""The day in figures: one row per table and rulebook, counted by DuckDB from the day's files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from pipelines.warehouse.connect import connect_stage
from pipelines.warehouse.words import FIGURES

_KEY = "day, table_id, coalesce(rulebook, 'unknown') AS rulebook"

_SQL = f"""
WITH r AS (
    SELECT {_KEY}, count(*) AS rounds,
           count(*) FILTER (status = 'settled') AS settled,
           count(*) FILTER (status = 'void') AS void,
           count(*) FILTER (status = 'incomplete') AS incomplete,
           count(*) FILTER (status = 'unreplayable') AS unreplayable
    FROM rounds GROUP BY ALL),
l AS (
    SELECT {_KEY}, count(*) AS lines, sum(stake) AS stake,
           sum(stake_returned::HUGEINT + winnings) AS due
    FROM lines GROUP BY ALL),
s AS (
    SELECT {_KEY}, sum(stake_returned::HUGEINT + winnings) AS paid FROM settlements GROUP BY ALL),
f AS (
    SELECT day, coalesce(table_id, 'no table') AS table_id,
           coalesce(rulebook, 'unknown') AS rulebook, count(*) AS findings,
           sum(too_much) FILTER (severity = 'money') AS overpaid,
           sum(too_little) FILTER (severity = 'money') AS underpaid
    FROM findings GROUP BY ALL)
SELECT *
FROM r FULL JOIN l USING (day, table_id, rulebook) FULL JOIN s USING (day, table_id, rulebook)
     FULL JOIN f USING (day, table_id, rulebook)
ORDER BY table_id, rulebook
"""


def day_figures(database: Path) -> pa.Table:
    """The figures of the day that a staged catalogue holds."""
    numbers = ", ".join(
        f"coalesce({name}, 0)::BIGINT AS {name}" for name in FIGURES.names if name not in _TEXTS
    )
    with connect_stage(database) as db:
        found = db.sql(f"SELECT {', '.join(_TEXTS)}, {numbers} FROM ({_SQL})")
        figures: pa.Table = found.to_arrow_table().cast(FIGURES)
    return figures


_TEXTS = ("day", "table_id", "rulebook")
