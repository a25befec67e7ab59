"""`evenhand sql`: any question to the published warehouse, read-only."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from pipelines.safe_text import say, terminal

if TYPE_CHECKING:
    import duckdb


def _amount(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not re.fullmatch(r"\d+(\.\d+)? ?[KMGT]i?B", value, re.IGNORECASE):
        raise click.BadParameter(f"expected an amount such as 4GB or 500MB, found {value!r}")
    return value


@click.command(name="sql")
@click.argument("query", required=False, metavar="[SELECT ...]")
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read the question here.")
@click.option("--query", "name", metavar="NAME", help="A ready question; --list names them.")
@click.option("--list", "listed", is_flag=True, help="List the ready questions.")
@click.option("--describe", is_flag=True, help="Tables and columns as Markdown: docs/sql.md.")
@click.option("--ui", is_flag=True, help="Open the warehouse in Harlequin or DuckDB's own prompt.")
@click.option(
    "--format", "form", default="table", show_default=True,
    type=click.Choice(["table", "csv", "json", "parquet", "xlsx", "markdown"]),
)  # fmt: skip
@click.option("-x", "--expanded", is_flag=True, help="One column a line, as psql's \\x.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the answer there.")
@click.option(
    "--memory", default="4GB", show_default=True, callback=_amount,
    help="No query takes more than this.",
)  # fmt: skip
def command(
    query: str | None,
    file: Path | None,
    name: str | None,
    listed: bool,
    describe: bool,
    ui: bool,
    form: str,
    expanded: bool,
    output: Path | None,
    memory: str,
) -> None:
    """Ask the published warehouse anything, read-only.

    Without a question it opens a prompt with history and completion. Ctrl-C stops a query. Money
    is in cents, times are UTC; the views findings_read and lines_read have currency and house time.
    docs/sql.md tells every table and column, and which other tools open the warehouse.
    """
    if listed:
        _list()
        return
    if describe:
        _describe()
        return
    if ui:
        _ui(query, file, name, output)
    sql = _question(query, file, name)
    if form in ("parquet", "xlsx") and output is None:
        raise click.UsageError(f"--format {form} needs -o FILE: it is no text to print")
    if form == "table" and output is not None:
        raise click.UsageError("-o FILE needs --format csv, json, parquet, xlsx or markdown")
    if expanded and form != "table":
        raise click.UsageError("--expanded goes with --format table")
    if output is not None and not output.parent.is_dir():
        raise click.UsageError(f"-o {output}: there is no folder {output.parent}")
    _answer(sql, "expanded" if expanded else form, output, memory)


def _list() -> None:
    from pipelines.ask.ready import ready_questions

    for ready in ready_questions().values():
        say(f"{ready.name:<30} {ready.question}")


def _describe() -> None:
    from events.settings import load_settings
    from pipelines.ask.describe import markdown
    from pipelines.warehouse.read import open_readonly

    with open_readonly(load_settings().home) as db:
        click.echo(markdown(db), nl=False)


def _ui(*asked: object) -> NoReturn:
    if any(part is not None for part in asked):
        raise click.UsageError("--ui opens a tool to ask in; give it no question and no -o")
    from events.settings import load_settings
    from pipelines.ask.tools import open_tool

    open_tool(load_settings().home)


def _question(query: str | None, file: Path | None, name: str | None) -> str | None:
    """The one question that was asked, or None for a prompt."""
    given = [part for part in (query, file, name) if part is not None]
    if len(given) > 1:
        raise click.UsageError("one question at a time: as text, with --file or with --query")
    if name is not None:
        from pipelines.ask.ready import ready_question

        return ready_question(name).sql
    if file is not None:
        try:
            return file.read_text("utf-8")
        except FileNotFoundError:
            raise click.UsageError(f"--file {file}: there is no such file") from None
        except (UnicodeDecodeError, IsADirectoryError):
            raise click.UsageError(f"--file {file}: expected a text file with SQL") from None
    if query is None and not sys.stdin.isatty():
        return sys.stdin.read()
    return query


def _answer(sql: str | None, form: str, output: Path | None, memory: str) -> None:
    import duckdb

    from events.settings import load_settings
    from pipelines.ask.gate import check
    from pipelines.cli.doubt import warn_of_catalogue
    from pipelines.warehouse.errors import WarehouseError
    from pipelines.warehouse.read import open_readonly

    settings = load_settings()
    questions = [] if sql is None else check(sql)
    if form == "parquet" and len(questions) > 1:
        raise click.UsageError(f"--format parquet takes one question, found {len(questions)}")
    warn_of_catalogue(settings.home)
    db = open_readonly(settings.home, memory)
    try:
        if sql is None:
            _prompt(db, settings.home / "sql_history")
            return
        from pipelines.ask.answers import write
        from pipelines.ask.cancel import cancellable

        cancellable(db, lambda: write(db, questions, form, output))
    except duckdb.InterruptException:
        raise click.Abort from None
    except duckdb.OutOfMemoryException:
        raise WarehouseError(
            f"SQL: the query needs more than {memory} of memory; ask for less at a time, or give "
            f"it more with --memory"
        ) from None
    finally:
        db.close()


def _prompt(db: duckdb.DuckDBPyConnection, history: Path) -> None:
    from pipelines.ask.prompt import run_prompt

    run_prompt(db, history, terminal())
