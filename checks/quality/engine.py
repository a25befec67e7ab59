"""Great Expectations itself: one context per run, the SQL path on DuckDB, nothing sent anywhere."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from checks.quality.suite import Expected, Suite

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")  # read when the library is imported

CONFIG: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "1GB"}
"""Of DuckDB: bounded, so that memory does not grow with the day; beyond it spills to the disk."""
TABLES = ("events", "rounds", "lines", "settlements", "findings")
_CONNECTION = {
    # without these every expectation on DuckDB answers "list index out of range"
    "isolation_level": "AUTOCOMMIT",
    "skip_autocommit_rollback": True,
    "connect_args": {"config": CONFIG},
}
_SITE = "evenhand"


class Judged(NamedTuple):
    """The library's verdict on one expectation."""

    success: bool
    observed: str
    error: str | None


class SuiteQuestions:
    """Our own questions, beside the library's and to the same tables."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Ask DuckDB; what it raises is raised."""
        from sqlalchemy.exc import DBAPIError

        try:
            return self._connection.exec_driver_sql(sql, tuple(parameters))
        except DBAPIError as error:
            raise (error.orig or error) from None


@dataclass(frozen=True, slots=True)
class Library:
    """The library with a day open before it. `ask`: our own questions to the same."""

    ask: SuiteQuestions
    context: Any
    source: Any

    def validate(self, suite: Suite) -> dict[str, Judged]:
        """Every verdict, by expectation."""
        return _validate(self.context, self.source, suite)


@contextlib.contextmanager
def opened(database: Path, data_docs: Path | None = None) -> Iterator[Library]:
    """A database of our own in memory, in which the day's tables are views; the file is only read,
    and is closed again at the end. What is made beside the views is gone then, too."""
    with (
        _context(f":memory:{secrets.token_hex(8)}", data_docs) as (context, source),
        source.get_engine().connect() as connection,
    ):
        ask = SuiteQuestions(connection)
        ask.execute(f"SET temp_directory = {_text(database.parent / 'spill')}")
        ask.execute("SET parquet_metadata_cache = true")  # else every query reads them anew
        ask.execute("SET preserve_insertion_order = false")  # no question depends on it
        ask.execute(f"ATTACH {_text(database)} AS day (READ_ONLY)")
        for table in TABLES:
            ask.execute(f"CREATE VIEW {table} AS SELECT * FROM day.{table}")
        yield Library(ask, context, source)
        if data_docs is not None:
            context.build_data_docs(site_names=[_SITE])


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def import_library() -> None:
    """Import all of it that validate() uses: seconds, which whoever is early need not wait for."""
    _library("great_expectations.expectations")
    import_module("duckdb_sqlalchemy")


def _library(name: str) -> Any:
    """A module of the library, without Spark: it would import that wherever it is installed, which
    takes a second and warns about versions, and we ask nothing of it here."""
    if name in sys.modules or "pyspark" in sys.modules:
        return import_module(name)
    hidden: Any = None  # what Python takes for a module that is not there
    sys.modules["pyspark"] = hidden
    try:
        return import_module(name)
    finally:
        del sys.modules["pyspark"]


@contextlib.contextmanager
def _context(database: str, data_docs: Path | None) -> Iterator[tuple[Any, Any]]:
    gx: Any = _library("great_expectations")
    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(False)
    context.variables.progress_bars = {"globally": False}
    if data_docs is not None:
        context.add_data_docs_site(site_name=_SITE, site_config=_site(data_docs))
    source = context.data_sources.add_sql(
        name="warehouse",
        connection_string=f"duckdb:///{database}",
        create_temp_table=False,
        kwargs=_CONNECTION,
    )
    try:
        yield context, source
    finally:
        source.get_execution_engine().close()
        source.get_engine().dispose()


def _site(folder: Path) -> dict[str, Any]:
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": {
            "class_name": "TupleFilesystemStoreBackend",
            "base_directory": str(folder.resolve()),
        },
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
    }


def _validate(context: Any, source: Any, suite: Suite) -> dict[str, Judged]:
    gx: Any = _library("great_expectations")
    asset = source.add_query_asset(name=suite.name, query=suite.batch)
    rows = asset.add_batch_definition_whole_table("day")
    wanted = gx.ExpectationSuite(
        name=suite.name, expectations=[_expectation(e) for e in suite.expectations]
    )
    definition = context.validation_definitions.add(
        gx.ValidationDefinition(name=suite.name, data=rows, suite=context.suites.add(wanted))
    )
    result = definition.run(result_format={"result_format": "BASIC", "partial_unexpected_count": 0})
    return {one.expectation_config.meta["name"]: _judge(one) for one in result.results}


def _expectation(expected: Expected) -> Any:
    gxe: Any = _library("great_expectations.expectations")
    meta = {"name": expected.name}
    if expected.rows is not None:
        return gxe.UnexpectedRowsExpectation(
            unexpected_rows_query=expected.rows, meta=meta, severity=expected.severity
        )
    words = (expected.type or "").split("_")
    kind = getattr(gxe, "".join(word.capitalize() for word in words))
    return kind(**expected.kwargs, meta=meta, severity=expected.severity)


def _judge(one: Any) -> Judged:
    result = one.result or {}
    observed = result.get("observed_value", result.get("unexpected_count"))
    error = _error(one.exception_info)
    return Judged(bool(one.success), "" if observed is None else str(observed), error)


def _error(info: Any) -> str | None:
    """An expectation that could not be evaluated looks like one that failed: tell them apart."""
    if not isinstance(info, dict):
        return None
    told = [info] if "raised_exception" in info else list(info.values())
    texts = [str(t.get("exception_message")) for t in told if t.get("raised_exception")]
    return texts[0] if texts else None
