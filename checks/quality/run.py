"""Run all suites on a warehouse file: Great Expectations by SQL, then money, counts and volume.

Why SQL and not data frames, and why composite keys are queries of ours: docs/adr/0006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

from checks.quality.failing import MOST, FailedRows, failing_query, failing_rows
from checks.quality.result import Failing, QualityResult
from checks.quality.suite import NAMES, Expected, Suite, load_suite
from checks.quality.volume import Volume, unusual, volumes_of


def run_suites(
    database: Path,
    day: date,
    *,
    archived: Mapping[str, int] | None = None,
    quarantined: Mapping[str, int] | None = None,
    today: Sequence[Volume] | None = None,
    history: Mapping[str, Sequence[Volume]] | None = None,
    data_docs: Path | None = None,
) -> list[QualityResult]:
    """Validate a day of the warehouse; the file is only read.

    database: a DuckDB file with events, rounds, lines, settlements and findings, tables or views.
    archived: messages that the archive took in for the day, per table, those in quarantine
        included; they must be loaded or lie in quarantine. None: not checked.
    quarantined: messages of the day in quarantine, per table.
    today: the day's own volumes, where volumes_of() has counted them already.
    history: per table its earlier days, as volumes_of() gave them. None: not checked.
    data_docs: a folder for the library's own pages; None: none are made.
    """
    from checks.quality.engine import opened
    from checks.quality.once import asked_once, make_tables

    out: list[QualityResult] = []
    with opened(database, data_docs) as library:
        made = make_tables(library.ask, day)
        for name in NAMES:
            began = perf_counter()
            suite = asked_once(library.ask, load_suite(name, day, made))
            judged = library.validate(suite)
            seconds = (perf_counter() - began) / len(suite.expectations)
            out += [
                replace(_explained(library.ask, suite, one, judged[one.name]), seconds=seconds)
                for one in suite.expectations
            ]
        out += _money(library.ask, load_suite("money", day, made))
        if archived is not None:
            out.append(_counts(library.ask, day, archived, quarantined or {}))
        if history is not None:
            out += _volume(volumes_of(library.ask, day) if today is None else today, history)
    return out


def _explained(connection: Any, suite: Suite, expected: Expected, judged: Any) -> QualityResult:
    """The library's verdict, with the rows that failed by our own query."""
    query = None if judged.success or judged.error else failing_query(suite, expected)
    failed = FailedRows() if query is None else failing_rows(connection, query)
    return QualityResult(
        suite.name,
        expected.name,
        suite.table,
        judged.success,
        judged.observed,
        failed.count,
        failed.shown,
        0.0,
        judged.error,
        expected.severity,
        failed.rounds,
        failed.nameless,
    )


def _money(connection: Any, suite: Suite) -> list[QualityResult]:
    import duckdb

    out = []
    for expected in suite.expectations:
        began = perf_counter()
        try:
            failed = failing_rows(connection, expected.rows or "")
            if failed.count and expected.which is not None:
                failed = failing_rows(connection, expected.which)
        except duckdb.Error as error:
            bad = _plain("money", expected.name, (), 1, perf_counter() - began)
            out.append(replace(bad, observed="", unexpected_count=0, error=str(error)))
            continue
        told = _plain("money", expected.name, failed.shown, failed.count, perf_counter() - began)
        out.append(replace(told, rounds=failed.rounds, nameless=failed.nameless))
    return out


def _plain(
    suite: str, name: str, failing: Sequence[Failing], count: int, seconds: float
) -> QualityResult:
    says = "all agree" if not count else f"{count} differ"
    return QualityResult(suite, name, suite, not count, says, count, tuple(failing), seconds)


def _counts(
    connection: Any, day: date, archived: Mapping[str, int], quarantined: Mapping[str, int]
) -> QualityResult:
    """Nothing that arrived is lost: archived = loaded + quarantined, table by table."""
    began = perf_counter()
    rows = connection.execute(
        "SELECT table_id, count(*) FROM events WHERE day = ? GROUP BY table_id", [day]
    ).fetchall()
    loaded = {str(table): int(count) for table, count in rows}
    failing = []
    for table in sorted({*archived, *loaded, *quarantined}):
        came, here, bad = (m.get(table, 0) for m in (archived, loaded, quarantined))
        if came != here + bad:
            key = f"archived {came}, loaded {here} + quarantined {bad}"
            failing.append(Failing(table, None, key))
    name = "events archived = loaded + quarantined"
    seconds = perf_counter() - began
    return _plain("counts", name, failing[:MOST], len(failing), seconds)


def _volume(
    today: Sequence[Volume], history: Mapping[str, Sequence[Volume]]
) -> list[QualityResult]:
    began = perf_counter()
    found = unusual(today, history)
    seconds = (perf_counter() - began) / len(found)
    return [_plain("volume", n, rows[:MOST], len(rows), seconds) for n, rows in found.items()]
