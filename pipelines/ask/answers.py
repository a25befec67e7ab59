"""An answer as a table, CSV, JSON, Markdown, Parquet or a workbook.

Rows are written as they come, not gathered first.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from events.runtime.durable import draft_of
from pipelines.ask.gate import Question
from pipelines.ask.sentences import clear
from pipelines.safe_text import for_cell, for_json, for_terminal, terminal
from pipelines.warehouse.errors import WarehouseError

if TYPE_CHECKING:
    import duckdb
    from rich.console import Console

FORMATS = ("table", "csv", "json", "parquet", "xlsx", "markdown")
BINARY = ("parquet", "xlsx")
SHOWN = 200
_BATCH = 2000


def _rows(answer: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := answer.fetchmany(_BATCH):
        yield from rows


def columns_of(answer: duckdb.DuckDBPyConnection) -> list[str]:
    return [column[0] for column in answer.description or ()]


def show_tables(
    db: duckdb.DuckDBPyConnection,
    questions: Sequence[Question],
    out: Console,
    *,
    expanded: bool = False,
) -> None:
    """Each answer as a table, one after another."""
    for question in questions:
        with _saying_which(question):
            show_table(db.execute(question.sql), out, expanded=expanded)


def show_table(answer: duckdb.DuckDBPyConnection, out: Console, *, expanded: bool = False) -> None:
    """The first rows as a table, and how many more there are."""
    from pipelines.tables import Column, print_table

    rows = _rows(answer)
    shown = [row for _, row in zip(range(SHOWN), rows, strict=False)]
    told = [[_plain_text(value) for value in row] for row in shown]
    heads = []
    for n, name in enumerate(columns_of(answer)):
        number = bool(shown) and all(isinstance(r[n], int | float | Decimal | None) for r in shown)
        heads.append(Column(name, right=number, folds=_folds(row[n] for row in told)))
    more = sum(1 for _ in rows)
    print_table(out, heads, told, expanded=expanded)
    count = len(shown) + more
    many = "1 row" if count == 1 else f"{count:,} rows"
    out.print(f"{many}, the first {SHOWN} shown; --format csv has all" if more else many)


def _folds(texts: Iterable[str]) -> int | None:
    """Sentences and lists fold; what has no blank in it, such as money and ids, never does."""
    return 24 if any(" " in text for text in texts) else None


def _plain_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(_plain_text(item) for item in value)
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, bytes):
        return value.hex()
    return for_terminal(value)


def write_csv(answer: duckdb.DuckDBPyConnection, out: IO[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([for_cell(name) for name in columns_of(answer)])
    for row in _rows(answer):
        writer.writerow(["" if v is None else _cell(v) for v in row])


def _cell(value: Any) -> Any:
    plain = to_plain(value)
    return for_cell(for_json(plain) if isinstance(plain, list | dict) else plain)


def write_markdown(answer: duckdb.DuckDBPyConnection, out: IO[str]) -> None:
    """A table as reports and issues take it; nothing in a cell ends it or is markup."""
    names = columns_of(answer)
    out.write(f"| {' | '.join(map(_markdown, names))} |\n|{'---|' * len(names)}\n")
    for row in _rows(answer):
        out.write(f"| {' | '.join(_markdown(_plain_text(value)) for value in row)} |\n")


def _markdown(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", for_terminal(text))


_MARKUP = re.compile(r"[\\|<>`*\[\]]")


def write_json(answer: duckdb.DuckDBPyConnection, out: IO[str]) -> None:
    """A list of objects, one on each line."""
    names = columns_of(answer)
    out.write("[")
    for n, row in enumerate(_rows(answer)):
        plain = {name: to_plain(value) for name, value in zip(names, row, strict=True)}
        out.write(("," if n else "") + "\n " + for_json(plain))
    out.write("\n]\n")


def to_plain(value: Any) -> Any:
    """A value as JSON can hold it, in the contract's forms."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, str | int | float | bool | None):
        return value
    return str(value)


def write_parquet(
    db: duckdb.DuckDBPyConnection, sql: str, path: Path, params: list[Any] | None = None
) -> int:
    """The answer as a Parquet file, whole or not at all; how many rows it has."""
    import pyarrow.parquet as pq

    reader: Any = db.sql(sql, params=params).to_arrow_reader(_BATCH * 10)
    rows = 0
    with (
        draft_of(path) as draft,
        pq.ParquetWriter(draft, reader.schema, compression="zstd") as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def write(
    db: duckdb.DuckDBPyConnection, questions: Sequence[Question], form: str, output: Path | None
) -> None:
    """The answers to some questions in a form, one after another, to stdout or into a file.

    Several answers as CSV have an empty line between them; as JSON each is a list of its own.
    """
    if form == "parquet" and output is not None:
        (question,) = questions
        with _saying_which(question):
            write_parquet(db, question.sql, output)
    elif form == "xlsx" and output is not None:
        from pipelines.ask.workbook import write_workbook

        write_workbook(output, _sheets(db, questions))
    elif form in ("table", "expanded"):
        show_tables(db, questions, terminal(), expanded=form == "expanded")
    elif output is None:
        _write_text(db, questions, form, sys.stdout)
    else:
        with (
            draft_of(output) as draft,
            draft.open("w", encoding="utf-8", newline="") as file,
        ):
            _write_text(db, questions, form, file)


def _sheets(
    db: duckdb.DuckDBPyConnection, questions: Sequence[Question]
) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    for question in questions:
        with _saying_which(question):
            answer = db.execute(question.sql)
            yield columns_of(answer), _rows(answer)


def _write_text(
    db: duckdb.DuckDBPyConnection, questions: Sequence[Question], form: str, out: IO[str]
) -> None:
    put = {"csv": write_csv, "markdown": write_markdown}.get(form, write_json)
    for n, question in enumerate(questions):
        with _saying_which(question):
            answer = db.execute(question.sql)
            if n and form != "json":
                out.write("\n")
            put(answer, out)


@contextmanager
def _saying_which(question: Question) -> Iterator[None]:
    """DuckDB's own sentence, with the number of the statement where there are several."""
    import duckdb

    try:
        yield
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        raise WarehouseError(f"SQL: {question.place}{clear(error)}") from None
