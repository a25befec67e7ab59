"""A page of the desk: its template, and what every one of them has around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from events.settings import Settings
from pipelines.ask.answers import to_plain
from pipelines.desk.books import Books, Shelf
from pipelines.desk.errors import DeskError
from pipelines.desk.masks import masked
from pipelines.desk.static import asset
from pipelines.desk.who import user_of
from pipelines.investigate.page import templating as round_page
from pipelines.night.summary import SEVERITIES
from pipelines.pages.templating import environment
from pipelines.report import page as report
from pipelines.safe_text import for_json
from replay.findings import dollars

NAV = (
    ("/", "Day"),
    ("/live", "Live"),
    ("/findings", "Findings"),
    ("/sql", "Questions"),
    ("/decisions", "Decisions"),
    ("/runs", "Runs"),
    ("/verify", "Verify"),
)
"""The way through the desk; a room that a person goes to by itself adds itself here."""


@cache
def templates() -> Environment:
    filters = {**report.FILTERS, **round_page.FILTERS} | {
        "line": line_words,
        "zip_self": pairs,
        "plain": plain,
    }
    names = {"nav": NAV, "asset": asset, "severities": SEVERITIES, "base": ""}
    also = {"report": "pipelines.report", "round": "pipelines.investigate.page"}
    return environment("pipelines.desk", filters, names, also)


def plain(value: Any) -> str:
    """A value of an answer as a cell shows it."""
    if value is None:
        return ""
    told = to_plain(value)
    return for_json(told) if isinstance(told, list | dict) else str(told)


def pairs(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Choices whose value is what they say."""
    return [(text, text) for text in texts]


def line_words(line: dict[str, Any] | None) -> str:
    """A line of a finding in a few words."""
    if line is None:
        return "nothing"
    parts = [f"stake {dollars(line['stake'])}", f"back {dollars(line['stake_returned'])}"]
    parts.append(f"winnings {dollars(line['winnings'])}")
    if line.get("outcome"):
        parts.append(str(line["outcome"]).replace("_", " "))
    return ", ".join(parts) + (f" at {line['odds']}" if line.get("odds") else "")


def page(request: Request, template: str, code: int = 200, /, **facts: Any) -> HTMLResponse:
    """A template with the facts of the page and those of every page."""
    session = getattr(request.state, "session", None)
    around = {
        "user": user_of(request),
        "here": request.url.path,
        "edition": "",
        "token": "" if session is None else session.token,
        "doubt": _shelf(request).doubt() if user_of(request).rights else None,
    }
    text = templates().get_template(template).render(around | facts)
    if not user_of(request).sees_players:
        text = masked(text, facts, lambda words: _players(request, words))
    return HTMLResponse(text, code)


def _players(request: Request, words: set[str]) -> set[str]:
    """Which of these words are references of players who ever played on a published day."""
    try:
        with books_of(request) as books:
            found = books.rows(
                "SELECT DISTINCT player FROM player_figures SEMI JOIN "
                "(SELECT unnest(?::VARCHAR[]) AS player) USING (player)",
                [list(words)],
            )
    except DeskError:  # nothing is published, or it can't be read: the page's own facts remain
        return set()
    return {row["player"] for row in found}


def content_of(template: str, **facts: Any) -> Markup:
    """A part of a page that is the same for everybody."""
    return Markup(templates().get_template(template).render(facts))


@contextmanager
def books_of(request: Request) -> Iterator[Books]:
    """The catalogue for this request: open it once, ask it everything."""
    with _shelf(request).books() as books:
        yield books


def refuse_doubtful(request: Request) -> None:
    """What leaves the desk as a file carries the house's name: only what the house signed does."""
    if (doubt := _shelf(request).doubt()) is not None:
        raise DeskError(409, "Nothing is handed out", f"The catalogue is not as signed: {doubt}")


def _shelf(request: Request) -> Shelf:
    found: Shelf = request.app.state.shelf
    return found


def settings_of(request: Request) -> Settings:
    found: Settings = request.app.state.settings
    return found
