"""What goes out with every answer: strict headers, how long it took, and the count of requests.

Only names that were meant are answered: a page of somebody else whose name is made to point at this
machine would else read the desk through the browser of whoever sits at it.
"""

from __future__ import annotations

from collections.abc import Collection
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipelines.desk.metrics import DeskMetrics

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class DeskAnswers:
    """The outermost layer: names, headers, time."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], metrics: DeskMetrics) -> None:
        self.app, self.hosts, self.metrics = app, frozenset(hosts), metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = perf_counter()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = perf_counter() - began
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
                headers["server-timing"] = f"desk;dur={took * 1000:.1f}"
                self.metrics.answered(scope, message["status"], took)
            await send(message)

        if _name(Headers(scope=scope).get("host", "")) not in self.hosts:
            said = "This desk does not answer to that name: open it by the address it printed.\n"
            await PlainTextResponse(said, 421)(scope, receive, sending)
            return
        await self.app(scope, receive, sending)


def _name(host: str) -> str:
    """Without the port; an IPv6 address stays in its brackets."""
    name, _, port = host.rpartition(":")
    return (name if name and port.isdigit() else host).lower()
