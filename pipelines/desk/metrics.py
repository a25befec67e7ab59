"""The desk in figures, as Prometheus reads them. Each desk has a registry of its own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.types import Scope

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 10.0)


class DeskMetrics:
    """What the desk counts. Others may register with `registry` too."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "evenhand_desk_requests",
            "Answers of the desk, by page and status.",
            ["page", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "evenhand_desk_seconds",
            "Seconds until a page of the desk begins to answer.",
            ["page"],
            buckets=_BUCKETS,
            registry=self.registry,
        )

    def answered(self, scope: Scope, status: int, seconds: float) -> None:
        name = page_of(scope)
        self.requests.labels(name, str(status)).inc()
        self.seconds.labels(name).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)


def page_of(scope: Scope) -> str:
    """The page by its route, never by what somebody typed: labels must not grow with requests."""
    route = scope.get("route")
    return str(getattr(route, "path", "none"))
