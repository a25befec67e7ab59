"""The suites as data: checks/quality/suites/*.toml, one per table."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from checks.tables import SCHEMAS
from events.archive.columns import ARROW_SCHEMA

NAMES = ("events", "rounds", "lines", "settlements", "findings")
_ASKED_ELSEWHERE = frozenset({"day", "prev", "hash"})
_OWN_KEYS = frozenset({"name", "type", "rows", "which", "why", "severity"})
_BY_TABLE = {"round": "CAST(NULL AS VARCHAR)", "by_round": ""}
_BY_ROUND = {"round": "round", "by_round": ", round"}


@dataclass(frozen=True, slots=True)
class Expected:
    """One expectation. `rows` is a query for rows that must not be there; else a type of the
    library and what it wants to know.

    `which` is asked only where it fails, for the rows to show: a sum that is cheap to ask table by
    table names no rounds. {answer} stands there for what `rows` found."""

    name: str
    severity: str
    type: str | None
    kwargs: Mapping[str, Any]
    rows: str | None
    which: str | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """What is expected of one table. `batch` selects its rows of the day."""

    name: str
    table: str
    batch: str
    expectations: tuple[Expected, ...]


def load_suite(name: str, day: date, made: Collection[str] = ()) -> Suite:
    """A suite for a day; braces are filled in but for {batch}, which the caller fills.

    `made`: tables of made.toml that are there already; the others are asked within each query."""
    content = _read(name)
    parts = _read("shared") | _as_parts(made)
    columns = content.get("columns", "*")
    batch = f"SELECT {columns} FROM {content['table']} WHERE day = {_sql(day)}"
    found = [_expected(entry, day, parts) for entry in content["expectation"]]
    if name in NAMES:
        found.insert(1, all_present(name))
    return Suite(name, content["table"], batch, tuple(found))


def made_once(day: date, made: Collection[str] = ()) -> dict[str, str]:
    """The queries of the tables that several suites ask, by name, in the order in which they are
    made; `made`: those that are there already."""
    parts = _as_parts(made)
    return {name: _with_parts(query, day, parts) for name, query in _read("made").items()}


def _as_parts(made: Collection[str]) -> dict[str, str]:
    """Each of these tables as a query names it; one may ask those before it, so the last first."""
    return {
        name: name if name in made else f"({query})"
        for name, query in reversed(_read("made").items())
    }


def all_present(table: str) -> Expected:
    """No null in any column that its schema does not allow one in, all of them in one pass."""
    columns = [f'"{column}"' for column in never_null(table)]
    absent = ", ".join(f"CASE WHEN {c} IS NULL THEN '{c.strip(chr(34))}' END" for c in columns)
    rows = (
        f"SELECT table_id, round, concat_ws(' ', {absent}) AS \"key\" "
        f"FROM {{batch}} WHERE {' OR '.join(f'{c} IS NULL' for c in columns)}"
    )
    return Expected("columns present", "critical", None, {}, rows)


def never_null(table: str) -> list[str]:
    """The columns of a table that must hold something in every row: `day` does in every row of a
    batch, and the audit holds each `prev` and `hash` against its neighbours, which are most of the
    bytes of a day's events and would all be read again."""
    schema = ARROW_SCHEMA if table == "events" else SCHEMAS[table]
    return [f.name for f in schema if not f.nullable and f.name not in _ASKED_ELSEWHERE]


def _expected(entry: Mapping[str, Any], day: date, parts: Mapping[str, str]) -> Expected:
    rows, which = entry.get("rows"), entry.get("which")
    if rows is not None and which is None and "{by_round}" in rows:
        which = rows
    kwargs = {key: value for key, value in entry.items() if key not in _OWN_KEYS}
    return Expected(
        entry["name"],
        entry.get("severity", "critical"),
        entry.get("type"),
        kwargs,
        _filled(rows, day, {**parts, **_BY_TABLE}),
        _filled(which, day, {**parts, **_BY_ROUND}),
    )


def _filled(query: str | None, day: date, parts: Mapping[str, str]) -> str | None:
    return None if query is None else _with_parts(query, day, parts)


def _with_parts(query: str, day: date, parts: Mapping[str, str]) -> str:
    for part, text in parts.items():
        query = query.replace("{" + part + "}", text.strip() if part != "by_round" else text)
    return " ".join(query.replace("{day}", _sql(day)).split())


@cache
def _read(name: str) -> dict[str, Any]:
    file = resources.files("checks.quality").joinpath("suites", f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def _sql(day: date) -> str:
    return f"DATE '{day.isoformat()}'"
