"""The desk as one application: `create_app(settings)`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from events.errors import EvenhandError
from events.settings import Settings
from pipelines.desk import static
from pipelines.desk.books import Shelf
from pipelines.desk.decided import decided_by
from pipelines.desk.doors import DeskDoor
from pipelines.desk.errors import DeskError
from pipelines.desk.headers import HEADERS, LOOPBACK, DeskAnswers
from pipelines.desk.kept import KeptContents
from pipelines.desk.metrics import DeskMetrics
from pipelines.desk.pages import page
from pipelines.desk.questions import Questions
from pipelines.desk.rooms.decisions import case_block
from pipelines.desk.routes import routes
from pipelines.desk.sessions import SignInAttempts
from pipelines.desk.streams import LiveStreams
from pipelines.investigate.table_days import TableDays
from pipelines.people.act import DeedBook
from pipelines.services.metrics import HouseCollector
from pipelines.services.vouched import PeopleSeal

THREADS = 12
"""Pages that are made at once, four of them answers to questions (questions.MOST_AT_ONCE): more
would only take turns on the same processors, and all of them would be slower."""
PASSWORDS_AT_ONCE = 2
"""Each takes 64 megabytes and a core for a moment, whoever asks."""
LARGEST_BODY = 64 * 2**20
"""Bytes that anybody may hand in at once: an evidence file, no more."""


def create_app(settings: Settings, hosts: Collection[str] = LOOPBACK) -> Starlette:
    """The desk of a home. hosts: the names under which it may be asked, without ports."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        app.state.shelf.close()
        app.state.questions.close()

    metrics, deeds = DeskMetrics(), DeedBook(settings.home)
    deeds.doubt = PeopleSeal(settings, deeds.log)
    metrics.registry.register(HouseCollector(settings))
    app = Starlette(
        routes=[*routes(), *static.ROUTES],
        middleware=[
            Middleware(DeskAnswers, hosts=hosts, metrics=metrics),
            Middleware(DeskDoor, settings=settings, book=deeds, here=set(hosts) <= LOOPBACK),
        ],
        exception_handlers={
            DeskError: _told,
            EvenhandError: _told,
            HTTPException: _http,
            Exception: _failed,
        },
        lifespan=lifespan,
        max_body_size=LARGEST_BODY,
    )
    app.state.settings, app.state.metrics = settings, metrics
    app.state.deeds = deeds
    app.state.shelf = Shelf(settings.home, decided_by(settings, deeds))
    app.state.kept = KeptContents()
    app.state.questions = Questions(settings.home)
    app.state.table_days = TableDays()
    app.state.streams = LiveStreams(settings.home)
    app.state.attempts = SignInAttempts(settings.people.sign_in_attempts)
    app.state.passwords = CapacityLimiter(PASSWORDS_AT_ONCE)
    app.state.case_block = case_block  # (request, finding) -> Markup, on a finding's page
    return app


def _told(request: Request, error: Exception) -> Response:
    """Something that has a sentence: of a page, or of the code below it."""
    status = error.status if isinstance(error, DeskError) else 422
    title = error.title if isinstance(error, DeskError) else "That could not be done"
    return page(request, "error.html.j2", status, title=title, text=str(error))


def _http(request: Request, error: Exception) -> Response:
    code = error.status_code if isinstance(error, HTTPException) else 500
    texts = {
        404: ("No such page", "Nothing lies at this address; the way in is at the top."),
        405: ("Not in this way", "This address answers other requests."),
        413: ("Too large", f"At most {LARGEST_BODY // 2**20} megabytes may be handed in."),
    }
    title, text = texts.get(code, ("That could not be done", "The request was not understood."))
    answer = page(request, "error.html.j2", code, title=title, text=text)
    for name, value in (getattr(error, "headers", None) or {}).items():
        answer.headers[name] = value
    return answer


def _failed(request: Request, error: Exception) -> Response:
    text = (
        f"An error of ours, not of yours: {type(error).__name__}. The desk's own output has where "
        f"it happened; please report it with that."
    )
    answer = page(request, "error.html.j2", 500, title="This page failed", text=text)
    answer.headers.update(HEADERS)  # this answer is made outside of the layer that adds them
    return answer
