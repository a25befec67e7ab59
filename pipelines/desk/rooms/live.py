"""/live: the floor as it plays, and one table as it is dealt. A watcher writes it; see board.py."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pipelines.alerts.outbox import FILE, AlertOutbox
from pipelines.desk.errors import DeskError, not_found
from pipelines.desk.forms import book_of, done_then, sent_form
from pipelines.desk.pages import page, settings_of
from pipelines.desk.streams import MOST_STREAMS, LiveStreams
from pipelines.desk.who import user_of
from pipelines.house_time import on_house_clock
from pipelines.investigate.case import Investigation, investigate
from pipelines.investigate.locate import Located
from pipelines.investigate.page.drawing import draw_last
from pipelines.investigate.page.templating import own
from pipelines.people.act import NotAllowedError
from pipelines.watch.board import BoardReader, Played

EVERY_S = 0.5
STREAM_S = 600.0
"""So long one stream lasts; a browser then opens the next by itself."""
WRITES_S = 3.0


def reader_of(request: Request) -> BoardReader:
    return BoardReader(settings_of(request).home)


def live(request: Request) -> Response:
    reader = reader_of(request)
    floor = reader.floor()
    number, said = reader.told(None)
    return page(
        request,
        "live.html.j2",
        floor=floor,
        now=time.time(),
        said=[_word(word) for word in reversed(said)],
        after=f"{floor.version}-{number}",
    )


def _word(said: dict[str, Any]) -> dict[str, Any]:
    gone = "withdrawn" in said
    found = said["withdrawn" if gone else "finding"]
    return {"gone": gone, "finding": found, "open": said.get("open", []), "night": said["night"]}


def stream(request: Request) -> Response:
    streams: LiveStreams = request.app.state.streams
    kind = "text/event-stream"
    if request.method == "HEAD":
        return Response(media_type=kind)
    if streams.open >= MOST_STREAMS:
        said = f"{MOST_STREAMS} pages look at the floor already: this one tries again by itself.\n"
        return Response(said, 503, {"retry-after": "30"}, "text/plain")
    return StreamingResponse(_changes(request, streams), media_type=kind)


async def _changes(request: Request, streams: LiveStreams) -> AsyncIterator[str]:
    """What changes on the floor, as server-sent events. An event's id is where to go on."""
    version, number = _place(request)
    until = time.monotonic() + STREAM_S
    streams.open += 1
    try:
        yield "retry: 2000\n\n"
        while time.monotonic() < until and not await request.is_disconnected():
            look = await run_in_threadpool(streams.look, version, number)
            version, number = look.version, look.number
            yield look.text
            await asyncio.sleep(EVERY_S)
    finally:
        streams.open -= 1


def _place(request: Request) -> tuple[int, int | None]:
    """Where the page or the stream before it stopped."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or ""
    version, _, number = given.partition("-")
    if version.isdigit() and number.isdigit() and len(given) < 40:
        return int(version), int(number)
    return 0, None


async def table(request: Request) -> Response:
    played = await _played(request, request.path_params["table"])
    return await run_in_threadpool(_shown, request, "live_table.html.j2", played)


def _shown(request: Request, template: str, played: Played) -> Response:
    name, steps = request.path_params["table"], _steps(request, played)
    return page(request, template, table=name, played=played, steps=steps)


async def table_state(request: Request) -> Response:
    """The same for the page's script: what changed since a version."""
    played = await _played(request, request.path_params["table"])
    html = await run_in_threadpool(_shown, request, "live_play.html.j2", played)
    html.headers["x-version"] = str(played.version)
    return html


async def drawing(request: Request) -> Response:
    """The newest round of the table as it lies now, drawn as on the round's page."""
    played = await _played(request, request.path_params["table"])
    return await run_in_threadpool(_drawn, request, played)


def _drawn(request: Request, played: Played) -> Response:
    case = _case(request, played)
    if case is None:
        raise not_found("round", "This table has played no round since the watcher knows it.")
    drawn = str(draw_last(case, own("page.css")))
    # a picture by itself: its style stands in it, and nothing else may
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return Response(drawn, 200, {"content-security-policy": policy}, "image/svg+xml")


async def _played(request: Request, name: str) -> Played:
    """The table's play. The first who looks waits until the watcher has written it."""
    reader = reader_of(request)
    until = time.monotonic() + WRITES_S
    while True:
        found = await run_in_threadpool(reader.look_at, name)
        if found is not None:
            return found
        floor = await run_in_threadpool(reader.floor)
        if all(t["table"] != name for t in floor.tables):
            raise not_found("table", f'The watcher knows no table "{name[:80]}".')
        if not floor.alive or time.monotonic() > until:
            raise DeskError(
                503,
                "No watcher is at work",
                "What is dealt comes from evenhand watch; evenhand up runs it with the rest.",
            )
        await asyncio.sleep(0.2)


def _case(request: Request, played: Played) -> Investigation | None:
    if played.round is None or not played.events:
        return None
    turned = [n for n, which in settings_of(request).readings.items() if which == "other"]
    case = investigate(Located(played.round, played.events, "the log"), turned)
    # what an open round lacks is no finding yet, and what a closed one shows stands beside it
    return replace(case, answer=replace(case.answer, findings=[]))


def _steps(request: Request, played: Played) -> list[dict[str, Any]]:
    case, zone = _case(request, played), settings_of(request).timezone
    return [
        {"time": "" if s.at is None else f"{on_house_clock(s.at, zone):%H:%M:%S}", "text": s.text}
        for s in reversed(case.steps if case else ())
    ]


@contextmanager
def _outbox(home: Path) -> Iterator[AlertOutbox]:
    """The alerts of the house, or a sentence where they can't be read."""
    outbox = None
    try:
        outbox = AlertOutbox(home)
        yield outbox
    except sqlite3.Error as error:
        raise DeskError(
            503,
            "The alerts can't be read",
            f"{home / FILE}: {error}. Put it back from a backup, or move it away: a new one begins "
            f"empty, and findings themselves are not in it.",
        ) from None
    finally:
        if outbox is not None:
            outbox.close()


def alerts(request: Request) -> Response:
    home = settings_of(request).home
    kept = []
    if (home / FILE).exists():
        with _outbox(home) as outbox:
            kept = outbox.kept()
    return page(request, "alerts.html.j2", alerts=kept, token=request.state.session.token)


async def acknowledge(request: Request) -> Response:
    """Somebody has seen an alert: it is not repeated, and the log of what people do says who."""
    form = await sent_form(request)
    user, home = user_of(request), settings_of(request).home
    if not user.may("auditor"):
        raise DeskError(403, "Not with this role", "Alerts are acknowledged by auditors and above.")
    finding = request.path_params["finding"]

    def deed() -> None:
        with _outbox(home) as outbox:
            if not any(a.finding == finding and a.seen_at is None for a in outbox.kept()):
                raise NotAllowedError("no such alert waits for somebody to see it")
            book_of(request).do(user.actor, "alert_seen", [finding])
            outbox.seen(finding, user.actor.who, time.time())

    return await done_then(deed, form.back("/alerts"))


ROUTES = [
    Route("/live", live),
    Route("/live/events", stream),
    Route("/live/{table}", table),
    Route("/live/{table}/play", table_state),
    Route("/live/{table}/drawing.svg", drawing),
    Route("/alerts", alerts),
    Route("/alerts/{finding}/seen", acknowledge, methods=["POST"]),
]
