"""The desk's own files: styles and scripts, known by name, found nowhere else on the disk."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pipelines.desk.errors import not_found

FILES = {
    "house.css": ("pipelines.pages", "static"),
    "day.css": ("pipelines.pages", "static"),
    "desk.css": ("pipelines.desk", "static"),
    "desk.js": ("pipelines.desk", "static"),
    "ask.js": ("pipelines.desk", "static"),
    "decisions.css": ("pipelines.desk", "static"),
    "live.css": ("pipelines.desk", "static"),
    "live.js": ("pipelines.desk", "static"),
    "round.css": ("pipelines.investigate.page", "templates"),
    "page.js": ("pipelines.investigate.page", "templates"),
}
"""Where each lies; a room that brings a file adds it here."""
_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


@cache
def content_of(name: str) -> bytes:
    package, folder = FILES[name]
    if name == "round.css":
        return _within((resources.files(package) / folder / "page.css").read_text("utf-8"))
    return (resources.files(package) / folder / name).read_bytes()


def _within(css: str) -> bytes:
    """The style of the round's own page, for a part of the desk: what it says of the page holds for
    that part. The desk has one light, so the page's dark one is left out."""
    for whole in (":root {", "html {", "body {"):
        css = css.replace(whole, "& {")
    css = css.replace("main { max-width", "main.none { max-width")
    css = css.replace("@media (prefers-color-scheme: dark)", "@media not all")
    return f".round {{\n{css}\n}}\n".encode()


@cache
def asset(name: str) -> str:
    """The address of a file of ours, another one when its content is another."""
    return f"/static/{name}?v={hashlib.sha256(content_of(name)).hexdigest()[:10]}"


def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise not_found("file", "The desk has no such file.")
    kept = {"cache-control": "public, max-age=31536000, immutable"}
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(content_of(name), media_type=kind, headers=kept)


ROUTES = [Route("/static/{name}", static, name="static")]
