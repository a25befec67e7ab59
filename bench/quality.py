"""Where the time of a validation goes, on a warehouse file.

    uv run python -m bench.quality FILE 2026-11-14

Prints seconds by suite as run_suites() takes them, then the same question, whether a composite key
is unique, asked in three ways: by the library's own expectation, by a query of ours through the
library, and by DuckDB alone.
"""

from __future__ import annotations

import argparse
from collections import Counter
from datetime import date
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb

from checks.quality import run_suites
from checks.quality.engine import import_library, opened
from checks.quality.suite import load_suite


def timed(what: str, ask: Any) -> None:
    began = perf_counter()
    ask()
    print(f"  {perf_counter() - began:8.2f} s  {what}")


def unique_key(database: Path, day: date, table: str, key: list[str], own: str) -> None:
    gxe = import_module("great_expectations.expectations")
    query = load_suite(table, day).batch
    print(f"{table}: is {', '.join(key)} unique?")
    with opened(database) as day_open:
        asset = day_open.source.add_query_asset(name=table, query=query)
        batch = asset.add_batch_definition_whole_table("day").get_batch()
        library = gxe.ExpectCompoundColumnsToBeUnique(column_list=key)
        timed("the library's own expectation", lambda: batch.validate(library))
        ours = gxe.UnexpectedRowsExpectation(unexpected_rows_query=own)
        timed("our query, through the library", lambda: batch.validate(ours))
    with duckdb.connect(str(database), read_only=True) as db:
        plain = own.replace("{batch}", f"({query})")
        timed("our query, by DuckDB alone", lambda: db.execute(plain).fetchall())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("day", type=date.fromisoformat)
    given = parser.parse_args()
    began = perf_counter()
    import_library()
    print(f"  {perf_counter() - began:8.2f} s  importing the library")
    began = perf_counter()
    spent: Counter[str] = Counter()
    for result in run_suites(given.file, given.day):
        spent[result.suite] += result.seconds  # type: ignore[assignment]
    whole = perf_counter() - began
    for suite, seconds in spent.most_common():
        print(f"  {seconds:8.2f} s  {suite}")
    print(f"  {whole:8.2f} s  in all")
    for table, key in (
        ("events", ["table_id", "seq"]),
        ("lines", ["round", "box", "hand", "player", "bet"]),
    ):
        wanted = ("seq once per table", "one line per bet")
        own = next(e for e in load_suite(table, given.day).expectations if e.name in wanted)
        unique_key(given.file, given.day, table, key, own.rows or "")


if __name__ == "__main__":
    main()
