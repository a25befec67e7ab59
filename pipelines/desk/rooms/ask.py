"""/sql: any question to the published warehouse, read-only, with a permalink and files to keep."""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pipelines.ask.answers import write_parquet
from pipelines.ask.gate import LONGEST
from pipelines.ask.ready import ready_questions
from pipelines.desk.errors import DeskError, bad_request
from pipelines.desk.hand_out import MOST_ROWS, attachment, csv_file, xlsx_file
from pipelines.desk.pages import books_of, page, refuse_doubtful
from pipelines.desk.questions import SECONDS, SHOWN_ROWS, GivenAnswer, Questions
from pipelines.desk.who import DeskUser, user_of

_PERMALINK = 6_000
"""Characters of a question that fit into an address."""


def _questions(request: Request) -> Questions:
    found: Questions = request.app.state.questions
    return found


def _allowed(request: Request) -> DeskUser:
    user = user_of(request)
    if not user.may("auditor"):
        raise DeskError(403, "Not for this role", "Questions are for auditors and above.")
    return user


def _text(request: Request) -> tuple[str, str]:
    """The question of the address: `q`, or the name of a ready one; with the name."""
    name = request.query_params.get("query", "")
    ready = ready_questions()
    if name and name not in ready:
        raise bad_request(f'There is no ready question "{name[:60]}".')
    return (ready[name].sql, name) if name else (request.query_params.get("q", ""), "")


def sql_page(request: Request) -> Response:
    user = _allowed(request)
    text, name = _text(request)
    token = request.query_params.get("token", "")[:64] or None
    given: GivenAnswer | None = None
    told = None
    if text.strip():
        try:
            given = _questions(request).answer(text, user.name, token=token)
        except DeskError as error:
            if error.status >= 500:
                raise
            told = str(error)
    with books_of(request) as books:
        tables = books.rows(
            "SELECT table_name AS name, comment FROM duckdb_tables() WHERE NOT internal AND "
            "database_name = 'audit' UNION ALL SELECT view_name, comment FROM duckdb_views() "
            "WHERE NOT internal AND database_name = 'audit' ORDER BY 1"
        )
        edition = books.edition
    return page(
        request,
        "sql.html.j2",
        400 if told else 200,
        sql=text,
        name=name,
        ready=ready_questions().values(),
        given=given,
        told=told,
        tables=tables,
        shown=SHOWN_ROWS,
        seconds=SECONDS,
        longest=LONGEST,
        link=_link(text, name),
        most=MOST_ROWS,
        edition=edition,
    )


def _link(text: str, name: str) -> str | None:
    if name:
        return f"query={quote(name, safe='')}"
    quoted = quote(text, safe="")
    return f"q={quoted}" if len(quoted) <= _PERMALINK else None


def sql_csv(request: Request) -> Response:
    given = _whole(request)
    return csv_file(given.names, given.rows, "answer.csv")


def sql_xlsx(request: Request) -> Response:
    given = _whole(request)
    return xlsx_file(given.names, given.rows, "answer.xlsx")


def _whole(request: Request) -> GivenAnswer:
    user = _allowed(request)
    refuse_doubtful(request)
    return _questions(request).answer(_text(request)[0], user.name, MOST_ROWS)


def sql_parquet(request: Request) -> Response:
    user = _allowed(request)
    refuse_doubtful(request)
    with tempfile.TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder) / "answer.parquet"
        with _questions(request).asked(_text(request)[0], user.name) as question:
            limited = f"SELECT * FROM ({question.sql.rstrip().rstrip(';')}\n) LIMIT {MOST_ROWS}"
            write_parquet(question.db, limited, path)
        return attachment(path.read_bytes(), "application/vnd.apache.parquet", "answer.parquet")


async def stop(request: Request) -> Response:
    """Stop one's own question. Nothing is changed by it, so its token is enough."""
    user = _allowed(request)
    stopped = _questions(request).stop(request.path_params["token"], user.name)
    return JSONResponse({"stopped": stopped}, 200 if stopped else 404)


ROUTES = [
    Route("/sql", sql_page),
    Route("/sql.csv", sql_csv),
    Route("/sql.xlsx", sql_xlsx),
    Route("/sql.parquet", sql_parquet),
    Route("/sql/stop/{token}", stop, methods=["POST"]),
]
