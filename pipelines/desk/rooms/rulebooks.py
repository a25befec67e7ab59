"""/rulebook/ID: a text's paragraphs in our words, the readings in force, what play touched."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pipelines.clause_coverage import CAN_FIRE
from pipelines.desk.errors import not_found
from pipelines.desk.pages import books_of, page, settings_of
from replay.fingerprint import fingerprint
from replay.registry import IDS, readings
from replay.registry import rulebook as book_of

FOUND_DAYS = 60


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
        found = books.rows(
            "SELECT clause, count(*) AS n FROM (SELECT unnest(clauses) AS clause FROM findings "
            "WHERE rulebook = ? AND day > (SELECT max(day) FROM daily_figures) - ?) GROUP BY 1",
            [wanted, FOUND_DAYS],
        )
        played = books.one(
            "SELECT coalesce(sum(rounds), 0)::BIGINT AS rounds, "
            "count(DISTINCT table_id) AS tables, count(DISTINCT day) AS days, "
            "coalesce(sum(findings), 0)::BIGINT AS findings "
            "FROM daily_figures WHERE rulebook = ?",
            [wanted],
        )
        edition = books.edition
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
        cited={row["clause"]: row["n"] for row in found},
        can_fire=CAN_FIRE,
        played=played,
        edition=edition,
    )


ROUTES = [Route("/rulebook/{rulebook}", rulebook)]
