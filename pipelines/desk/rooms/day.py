"""/ and /day/DATE: the morning page."""

from __future__ import annotations

from datetime import date

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pipelines.desk.errors import not_found
from pipelines.desk.pages import books_of, page


def newest(request: Request) -> Response:
    with books_of(request) as books:
        days = books.days()
    if not days:
        raise not_found("day", "No day is published yet: evenhand nightly makes one.")
    return RedirectResponse(f"/day/{days[0]}")


def parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text if len(text) == 10 else "")
    except ValueError:
        raise not_found("day", f'Expected a day like 2026-11-15, found "{text[:40]}".') from None


def day(request: Request) -> Response:
    wanted = parse_day(request.path_params["day"])
    with books_of(request) as books:
        days = books.days()
        if wanted not in days:
            raise not_found(
                "day", f"No run has published {wanted}; published are {len(days)} days."
            )
        figures = books.rows(
            "SELECT * FROM daily_figures WHERE day = ? ORDER BY table_id, rulebook", [wanted]
        )
        edition = books.edition
    return page(request, "day.html.j2", day=wanted, days=days, figures=figures, edition=edition)


ROUTES = [Route("/", newest), Route("/day/{day}", day)]
