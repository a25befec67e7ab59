"""The day in figures: per table, dealer, player and paragraph, counted from the day's files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from pipelines.night.currencies import UNKNOWN, Currencies
from pipelines.warehouse.connect import connect_stage
from pipelines.warehouse.words import DEALERS, FIGURES, FIRED, PLAYERS

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


_DEALERS = """
SELECT day, dealer, table_id, coalesce(rulebook, 'unknown') AS rulebook, count(*) AS rounds
FROM rounds WHERE dealer IS NOT NULL GROUP BY ALL ORDER BY dealer, table_id, rulebook
"""
_PLAYERS = """
SELECT day, player, table_id, coalesce(rulebook, 'unknown') AS rulebook, count(*) AS rounds,
       sum(stake)::BIGINT AS stake, sum(due)::BIGINT AS due
FROM (SELECT day, player, table_id, rulebook, round, sum(stake) AS stake,
             sum(stake_returned::HUGEINT + winnings) AS due
      FROM lines GROUP BY ALL)
GROUP BY ALL ORDER BY player, table_id, rulebook
"""
# lines cite the same few lists of paragraphs again and again: count those, then take them apart
_FIRED = """
SELECT day, rulebook, number, sum(lines)::BIGINT AS lines, sum(findings)::BIGINT AS findings,
       sum(voids)::BIGINT AS voids
FROM (
    SELECT day, rulebook, unnest(clauses) AS number, n AS lines, 0 AS findings, 0 AS voids
    FROM (SELECT day, rulebook, clauses, count(*) AS n FROM lines GROUP BY ALL)
    UNION ALL SELECT day, rulebook, unnest(clauses), 0, 1, 0 FROM findings
    UNION ALL
    SELECT day, rulebook, void_clause, 0, 0, count(*) FROM rounds
    WHERE void_clause IS NOT NULL GROUP BY ALL)
WHERE rulebook IS NOT NULL AND number IS NOT NULL
GROUP BY ALL ORDER BY rulebook, number
"""


def day_figures(database: Path, currencies: Currencies) -> dict[str, pa.Table]:
    """The figures of the day that a staged catalogue holds, by the name of their file."""
    numbers = ", ".join(
        f"coalesce({name}, 0)::BIGINT AS {name}" for name in FIGURES.names if name not in _TEXTS
    )
    with connect_stage(database) as db:
        found = db.sql(f"SELECT {', '.join(_TEXTS[:3])}, {numbers} FROM ({_SQL})").to_arrow_table()
        names = [currencies.of(table) for table in found["table_id"].to_pylist()]
        known = pa.array([None if n == UNKNOWN else n for n in names], pa.string())
        return {
            "figures": found.append_column("currency", known).cast(FIGURES),
            "dealers": db.sql(_DEALERS).to_arrow_table().cast(DEALERS),
            "players": db.sql(_PLAYERS).to_arrow_table().cast(PLAYERS),
            "fired": db.sql(_FIRED).to_arrow_table().cast(FIRED),
        }


_TEXTS = ("day", "table_id", "rulebook", "currency")
