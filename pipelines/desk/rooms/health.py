"""/healthz and /metrics, for machines."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pipelines.desk.errors import DeskError
from pipelines.desk.metrics import DeskMetrics
from pipelines.desk.pages import books_of


def health(request: Request) -> Response:
    """Whether the desk can read what is published; 503 where it can't."""
    try:
        with books_of(request) as books:
            newest = books.one(
                "SELECT day, run, epoch_us(published_at) AS us FROM runs WHERE current "
                "ORDER BY day DESC LIMIT 1"
            )
            told: dict[str, Any] = {"status": "ok", "edition": books.edition, "day": None}
    except DeskError as error:
        return JSONResponse({"status": "no catalogue", "why": str(error)}, error.status)
    if newest is not None:
        told |= {"day": newest["day"].isoformat(), "run": newest["run"]}
    return JSONResponse(told)


def metrics(request: Request) -> Response:
    found: DeskMetrics = request.app.state.metrics
    return Response(found.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


ROUTES = [Route("/healthz", health), Route("/metrics", metrics)]
