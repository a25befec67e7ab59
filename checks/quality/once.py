"""Every question about the day's rows asked once, before the library looks at the answers.

The library asks a query for rows that must not be there twice, once for their number and once for
the rows, and knows nothing of what two queries have in common. So what several queries need of the
day's rows is made into tables first (suites/made.toml), then each query's answer, which holds no
row on a good day; the expectation is that this table is empty.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import duckdb

from checks.quality.suite import Expected, Suite, made_once


def make_tables(ask: Any, day: date) -> list[str]:
    """The tables of suites/made.toml; those that could be made, by name."""
    made: list[str] = []
    for name in made_once(day):
        if _made(ask, name, made_once(day, made)[name]):
            made.append(name)
    return made


def asked_once(ask: Any, suite: Suite) -> Suite:
    """The suite with each of its queries answered in a table, which the query now reads."""
    answered = [
        _answered(ask, suite, expected, f"asked_{suite.name}_{number}")
        for number, expected in enumerate(suite.expectations)
    ]
    return replace(suite, expectations=tuple(answered))


def _answered(ask: Any, suite: Suite, expected: Expected, answer: str) -> Expected:
    if expected.rows is None:
        return expected
    if not _made(ask, answer, expected.rows.replace("{batch}", f"({suite.batch})")):
        return expected
    which = (expected.which or expected.rows).replace("{answer}", answer)
    # the library warns of a query that does not name its batch
    return replace(expected, rows=f"SELECT * FROM {answer} /* asked of {{batch}} */", which=which)


def _made(ask: Any, name: str, query: str) -> bool:
    """Whether a query could be answered; if not, the library meets its error and tells it."""
    try:
        ask.execute(f"CREATE TABLE {name} AS {query}")
    except duckdb.Error:
        return False
    return True
