"""/rulebook/ID: a text's paragraphs in our words, the readings in force, what play touched."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pipelines.clause_coverage import CAN_FIRE
from pipelines.desk.books import Books
from pipelines.desk.errors import not_found
from pipelines.desk.pages import books_of, page, settings_of
from pipelines.report.asking import Row
from replay.fingerprint import fingerprint
from replay.registry import IDS, readings
from replay.registry import rulebook as book_of


def rulebook(request: Request) -> Response:
    wanted = request.path_params["rulebook"]
    book = book_of(wanted) if wanted in IDS else None
    if book is None:
        raise not_found("rulebook", f"Known are {', '.join(IDS)}.")
    chosen = settings_of(request).readings
    asked = [
        {
            "id": name,
            "clauses": one.clauses[wanted],
            "question": one.reading.question,
            "default": one.reading.default,
            "other": one.reading.other,
            "in_force": chosen.get(name, "default"),
        }
        for name, one in readings().items()
        if wanted in one.rulebooks
    ]
    with books_of(request) as books:
        played, counted, fired = _in_play(books, wanted)
        edition = books.edition
    can = [clause.number for clause in book.clauses if clause.held in CAN_FIRE]
    held = [str(clause.held) for clause in book.clauses]
    return page(
        request,
        "rulebook.html.j2",
        book=book,
        books=IDS,
        clauses=book.clauses,
        held={kind: held.count(kind) for kind in sorted(set(held))},
        fingerprint=fingerprint(wanted),
        readings=asked,
        fired=fired,
        can_fire=can,
        silent=[number for number in can if number not in fired],
        played=played,
        counted=counted,
        edition=edition,
    )


def _in_play(books: Books, wanted: str) -> tuple[Row, int, dict[str, Row]]:
    """What was played by the text, on how many of its days the paragraphs were counted, and how
    often each of them fired. The night counts them; one of an earlier version did not."""
    played = books.one(
        "SELECT coalesce(sum(rounds), 0)::BIGINT AS rounds, "
        "count(DISTINCT table_id) AS tables, count(DISTINCT day) AS days, "
        "coalesce(sum(findings), 0)::BIGINT AS findings FROM daily_figures WHERE rulebook = ?",
        [wanted],
    )
    rows = books.rows(
        "SELECT number, sum(lines)::BIGINT AS lines, sum(findings)::BIGINT AS findings, "
        "sum(voids)::BIGINT AS voids, max(day) AS last FROM clause_figures WHERE rulebook = ? "
        "GROUP BY 1",
        [wanted],
    )
    counted: int = books.value(
        "SELECT count(DISTINCT day) FROM clause_figures WHERE rulebook = ?", [wanted]
    )
    return played or {}, counted, {row["number"]: row for row in rows}


ROUTES = [Route("/rulebook/{rulebook}", rulebook)]
