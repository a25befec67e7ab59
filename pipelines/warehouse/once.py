"""An event that the log holds twice, counted once."""

from __future__ import annotations

_DOUBLED = "(SELECT DISTINCT day, table_id FROM findings WHERE kind = 'duplicate_event')"
"""Tables and days whose log holds an event twice: few, so that only theirs are looked through."""


def once(columns: str, where: str) -> str:
    """Some columns of some events; an event that the log holds twice counts once.

    Doubles are looked for within what people ask by, so that DuckDB asks the files for one day,
    table or round first.
    """
    return (
        f"SELECT {columns} FROM events ANTI JOIN {_DOUBLED} USING (day, table_id) WHERE {where} "
        f"UNION ALL SELECT {columns} FROM events SEMI JOIN {_DOUBLED} USING (day, table_id) "
        f"WHERE {where} "
        "QUALIFY row_number() OVER (PARTITION BY day, table_id, round, seq, hash) = 1"
    )
