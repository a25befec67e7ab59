"""The gate before the warehouse: only questions pass.

DuckDB's own parser says what a text is, as a tree. Every part of that tree has to be one that a
question is made of: that a statement is called a SELECT says little, because a SELECT may hold a
COPY or an INSERT in its WITH, call a function that reads a file, or name a file where a table
stands. All statements are looked at before the first one runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from pipelines.ask.functions import TABLE_FUNCTIONS, allowed, why_refused
from pipelines.ask.sentences import clear
from pipelines.warehouse.errors import WarehouseError

LONGEST = 100_000
"""Characters of one text. DuckDB's parser ends the process on some nestings of a megabyte."""

_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLES = frozenset(
    {"BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "PIVOT", "SHOW_REF", "SUBQUERY"}
    | {"TABLE_FUNCTION"}
)
_MODIFIERS = frozenset(
    {"ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER"}
    | {"ORDER_DEFAULT", "ASCENDING", "DESCENDING"}
)
_PARTS = _NODES | _TABLES | _MODIFIERS
_EXPRESSIONS = frozenset(
    "BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT DEFAULT FUNCTION LAMBDA "
    "OPERATOR PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW".split()
)
_NO_SELECT = "expected a SELECT after EXPLAIN; the warehouse is read only"
_EXPLAIN = re.compile(
    r"explain\b(?P<gap>(?:\s|--[^\n]*\n|/\*.*?\*/)*)(?P<analyze>analyze\b)?"
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
    r"(?P<options>\((?:\s*(?:analyze|verbose|format\s+\w+)\s*,?)+\))?",
    re.IGNORECASE | re.DOTALL,
)
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_FILE_LIKE = re.compile(r"[./\\:*?\[\]{}]")
"""What a name of a file has and no name of ours; DuckDB takes such a table for a file to read."""


@dataclass(frozen=True, slots=True)
class Question:
    """One statement that only asks, as it is to be run; `number` of `count` in its text."""

    sql: str
    number: int
    count: int

    @property
    def place(self) -> str:
        return f"statement {self.number} of {self.count}: " if self.count > 1 else ""


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    """DuckDB without any data, made once: to begin it costs four times what a question does."""
    return duckdb.connect(config={"enable_external_access": False, "threads": 1})


def check(sql: str) -> list[Question]:
    """The questions in a text, or one sentence why it does not pass."""
    if len(sql) > LONGEST:
        raise WarehouseError(
            f"SQL: expected at most {LONGEST:,} characters, found {len(sql):,}; ask in parts"
        )
    if _NO_TEXT.search(sql):
        raise WarehouseError("SQL: expected text, found a NUL or half of a character in it")
    with _parser().cursor() as parser:
        try:
            statements = parser.extract_statements(sql)
        except duckdb.Error as error:
            raise WarehouseError(f"SQL: {clear(error)}") from None
        if not statements:
            raise WarehouseError("SQL: expected a SELECT, found nothing")
        return [
            _passed(parser, statement, Question(statement.query, n, len(statements)))
            for n, statement in enumerate(statements, 1)
        ]


def _passed(
    parser: duckdb.DuckDBPyConnection, statement: duckdb.Statement, question: Question
) -> Question:
    head, select = "", question.sql
    kind = _kind(statement)
    if kind == "EXPLAIN":
        head, select = _explained(question.sql)
    elif kind == "MULTI":
        raise _refusal(
            question, "a PIVOT needs its values named, PIVOT ... ON column IN (value, ...)"
        )
    elif kind != "SELECT":
        raise _refusal(question, f"expected a SELECT, found {kind}; the warehouse is read only")
    try:
        tree = _tree(parser, select)
        reasons = _objections(parser, tree) if tree else [_NO_SELECT]
        for reason in reasons:
            raise _refusal(question, reason)
    except RecursionError:
        raise _refusal(question, "it is nested too deeply; ask in steps, WITH name AS") from None
    return Question(head + select, question.number, question.count)


def _kind(statement: duckdb.Statement) -> str:
    try:
        return statement.type.name
    except ValueError:  # DuckDB has kinds that its own Python side has no name for
        return "a statement of another kind"


def _explained(sql: str) -> tuple[str, str]:
    """EXPLAIN in our own words, and what it is asked about: that has to be a question itself."""
    match = _EXPLAIN.match(sql.lstrip())
    if match is None:
        return "", sql  # then the rest is no SELECT either, and is refused
    analyze = match["analyze"] or "analyze" in (match["options"] or "").lower()
    form = re.search(r"format\s+(\w+)", match["options"] or "", re.IGNORECASE)
    options = [*(["ANALYZE"] if analyze else []), *([f"FORMAT {form[1]}"] if form else [])]
    head = f"EXPLAIN ({', '.join(options)}) " if options else "EXPLAIN "
    return head, sql.lstrip()[match.end() :]


def _tree(parser: duckdb.DuckDBPyConnection, select: str) -> Any:
    """What DuckDB's parser makes of a SELECT; None where it is something else."""
    rows = parser.execute("SELECT json_serialize_sql(?::VARCHAR)", [select]).fetchall()
    answer = json.loads(rows[0][0])
    one = not answer["error"] and len(answer["statements"]) == 1
    return answer["statements"][0] if one else None


def _objections(parser: duckdb.DuckDBPyConnection, tree: Any) -> Iterator[str]:
    """Why a tree is more than a question; without recursion, because the tree is a stranger's."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield from _objections_to(parser, part)
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _objections_to(parser: duckdb.DuckDBPyConnection, part: dict[str, Any]) -> Iterator[str]:
    kind = part.get("type")
    if "info_type" in part:
        yield _inside(str(part["info_type"]))
    if "class" in part:
        if part["class"] not in _EXPRESSIONS:
            yield _inside(str(part["class"]))
    elif isinstance(kind, str) and kind not in _PARTS:
        yield _inside(kind)
    if kind == "TABLE_FUNCTION":
        name = _called(part.get("function", {}))
        if name not in TABLE_FUNCTIONS:
            yield _why_not(parser, name, f"FROM {_quoted(name)}()")
    elif part.get("class") in {"FUNCTION", "WINDOW"}:
        name = _called(part)
        if name not in allowed() | TABLE_FUNCTIONS:
            yield _why_not(parser, name, f"SELECT {_quoted(name)}()")
    elif kind in ("BASE_TABLE", "SHOW_REF"):
        for name in (part.get("table_name") or "", *part.get("qualified_name", {}).get("path", ())):
            if _FILE_LIKE.search(name):
                yield f"expected a table or view, found {name!r}; files are not read by their names"


def _called(function: dict[str, Any]) -> str:
    return str(function.get("function_name", "")).lower()


def _inside(kind: str) -> str:
    word = kind.replace("_", " ").removesuffix(" QUERY NODE").removesuffix(" INFO")
    return f"expected a SELECT, found {word} inside it; the warehouse is read only"


def _why_not(parser: duckdb.DuckDBPyConnection, name: str, call: str) -> str:
    """The reason for a function of DuckDB; for a name that is none, DuckDB's own sentence."""
    reason = why_refused(name)
    if reason is None:
        try:
            parser.execute(call)
        except duckdb.CatalogException as error:
            return clear(error, place=False)
        except duckdb.Error:
            pass
        reason = "it is not among those that a question needs"
    return f"the function {name} is not allowed: {reason}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _refusal(question: Question, reason: str) -> WarehouseError:
    return WarehouseError(f"SQL: {question.place}{reason}")
