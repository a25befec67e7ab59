"""Which rows failed, by SQL of our own: the library caps its lists and names no rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checks.quality.result import Failing
from checks.quality.suite import Expected, Suite

MOST = 50
"""So many failing rows are kept; the count says how many there are."""


def failing_query(suite: Suite, expected: Expected) -> str | None:
    """The rows that fail, as table, round and key; None where it is about no rows."""
    batch = f"({suite.batch}) AS batch"
    if expected.rows is not None:
        query = (expected.which or expected.rows).replace("{answer}", f"({expected.rows})")
        return query.replace("{batch}", f"({suite.batch})")
    column = expected.kwargs.get("column")
    if column is None:
        return None
    text = f"concat('{column} ', CAST({column} AS VARCHAR))"
    if expected.type == "expect_column_values_to_be_unique":
        return (
            f'SELECT any_value(table_id) AS table_id, any_value(round) AS round, {text} AS "key" '
            f"FROM {batch} GROUP BY {column} HAVING count(*) > 1"
        )
    return f'SELECT table_id, round, {text} AS "key" FROM {batch} WHERE {_fails(expected, column)}'


def _fails(expected: Expected, column: str) -> str:
    kwargs = expected.kwargs
    if expected.type == "expect_column_values_to_be_in_set":
        words = ", ".join(f"'{word}'" for word in kwargs["value_set"])
        return f"{column} NOT IN ({words})"
    if expected.type == "expect_column_values_to_be_between":
        tests = [f"{column} < {kwargs['min_value']}"] if "min_value" in kwargs else []
        tests += [f"{column} > {kwargs['max_value']}"] if "max_value" in kwargs else []
        return " OR ".join(tests)
    raise ValueError(f"{expected.type}: no query is known for the rows that fail it")


@dataclass(frozen=True, slots=True)
class FailedRows:
    """Rows that failed: the first of them, how many there are, every round that has one, and how
    many of them name no round."""

    shown: tuple[Failing, ...] = ()
    count: int = 0
    rounds: tuple[Failing, ...] = ()
    nameless: int = 0


def failing_rows(connection: Any, query: str) -> FailedRows:
    """The rows of a query for rows that fail, asked once."""
    named = "table_id IS NOT NULL AND round IS NOT NULL"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE failing AS {query}")
    count, nameless = connection.execute(
        f"SELECT count(*), count(*) FILTER (NOT ({named})) FROM failing"
    ).fetchall()[0]
    if not count:
        return FailedRows()
    shown = connection.execute(
        f'SELECT table_id, round, "key" FROM failing ORDER BY ALL LIMIT {MOST}'
    ).fetchall()
    rounds = connection.execute(
        f'SELECT table_id, round, min("key") FROM failing WHERE {named} GROUP BY ALL ORDER BY ALL'
    ).fetchall()
    return FailedRows(_told(shown), int(count), _told(rounds), int(nameless))


def _told(rows: list[tuple[Any, ...]]) -> tuple[Failing, ...]:
    return tuple(Failing(r[0], r[1], str(r[2])) for r in rows)
