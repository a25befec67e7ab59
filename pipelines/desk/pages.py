"""A page of the desk: its template, and what every one of them has around it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse

from events.settings import Settings
from pipelines.desk.books import Books, Shelf
from pipelines.desk.masks import masked
from pipelines.desk.who import user_of
from pipelines.pages.templating import environment

STATIC = Path(__file__).parent / "static"
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
    filters = {"path": lambda text: quote(str(text), safe="")}
    return environment("pipelines.desk", filters, {"nav": NAV, "asset": asset})


@cache
def asset(name: str) -> str:
    """The address of a file of ours, another one when its content is another."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


def page(request: Request, name: str, status: int = 200, **facts: Any) -> HTMLResponse:
    """A template with the facts of the page and those of every page."""
    session = getattr(request.state, "session", None)
    around = {
        "user": user_of(request),
        "here": request.url.path,
        "edition": "",
        "token": "" if session is None else session.token,
    }
    text = templates().get_template(name).render(around | facts)
    if not user_of(request).sees_players:
        text = masked(text, facts)
    return HTMLResponse(text, status)


@contextmanager
def books_of(request: Request) -> Iterator[Books]:
    """The catalogue for this request: open it once, ask it everything."""
    shelf: Shelf = request.app.state.shelf
    with shelf.books() as books:
        yield books


def settings_of(request: Request) -> Settings:
    found: Settings = request.app.state.settings
    return found
