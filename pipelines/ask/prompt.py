"""The prompt: questions typed one after another, with history and completion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from events.errors import EvenhandError
from pipelines.ask.answers import show_tables
from pipelines.ask.cancel import cancellable
from pipelines.ask.gate import check
from pipelines.ask.ready import ready_question, ready_questions
from pipelines.ask.sentences import clear

if TYPE_CHECKING:
    import duckdb
    from prompt_toolkit.completion import Completer
    from rich.console import Console

_KEYWORDS = (
    "SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT USING ON AND OR NOT NULL IS IN AS COUNT SUM "
    "ALL DISTINCT HAVING CASE WHEN THEN ELSE END WITH DESC DESCRIBE BETWEEN LIKE"
).split()
_HELP = """\
A question ends with ; and may have several lines. Money is in cents, times are UTC.
.tables   tables and views, with what they are for
.columns NAME   the columns of one
.queries   ready questions; .run NAME asks one
.quit   or Ctrl-D"""


def words_of(db: duckdb.DuckDBPyConnection) -> list[str]:
    """Names that can be completed: tables, columns, keywords, ready questions."""
    rows = db.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal")
    names = {word for row in rows.fetchall() for word in row}
    return sorted(names) + _KEYWORDS + list(ready_questions())


def completer_of(db: duckdb.DuckDBPyConnection) -> Completer:
    from prompt_toolkit.completion import WordCompleter

    return WordCompleter(words_of(db), ignore_case=True)


def run_prompt(db: duckdb.DuckDBPyConnection, history: Path, out: Console) -> None:
    """Ask until the user leaves. Ctrl-C stops the query that runs, not the prompt."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)), completer=completer_of(db), complete_while_typing=False
    )
    out.print("read-only; .help says more, Ctrl-D leaves")
    lines: list[str] = []
    while True:
        try:
            lines.append(session.prompt("     > " if lines else "audit> "))
        except KeyboardInterrupt:
            lines = []
            continue
        except EOFError:
            return
        text = "\n".join(lines).strip()
        if text and not text.startswith(".") and not text.endswith(";"):
            continue
        lines = []
        if text in {".quit", ".exit"}:
            return
        if text:
            answer_line(db, text, out)


def answer_line(db: duckdb.DuckDBPyConnection, text: str, out: Console) -> None:
    """One line or statement of the prompt; what is wrong with it is said and forgotten."""
    import duckdb

    try:
        sql = _dot(text, out) if text.startswith(".") else text
        questions = [] if sql is None else check(sql)
        cancellable(db, lambda: show_tables(db, questions, out))
    except KeyboardInterrupt:
        out.print("stopped")
    except (EvenhandError, click.ClickException) as error:
        out.print(f"{error}", markup=False)
    except duckdb.Error as error:
        out.print(f"SQL: {clear(error)}", markup=False)


def _dot(text: str, out: Console) -> str | None:
    """A dot command: prints, or gives the query that answers it."""
    name, _, rest = text.partition(" ")
    if name == ".tables":
        return (
            "SELECT table_name AS name, comment FROM duckdb_tables() WHERE NOT internal UNION ALL "
            "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY 1"
        )
    if name == ".columns" and rest.isidentifier():
        return (
            "SELECT column_name AS name, data_type AS type, comment FROM duckdb_columns() "
            f"WHERE table_name = '{rest}' ORDER BY column_index"
        )
    if name == ".run":
        return ready_question(rest.strip()).sql
    if name == ".queries":
        for ready in ready_questions().values():
            out.print(f"{ready.name:<30} {ready.question}", markup=False)
    else:
        out.print(_HELP, markup=False)
    return None
