"""/runs: which run made which day, from what, and what it changed."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pipelines.desk.pages import books_of, page, settings_of
from pipelines.report.asking import Row

_MOST = 500


def runs(request: Request) -> Response:
    with books_of(request) as books:
        found = books.rows(
            "SELECT run, day, current, started_at, finished_at, published_at, superseded_at, "
            "dagster_run, code_version, revision, complete, counts, changes FROM runs "
            f"ORDER BY day DESC, run DESC LIMIT {_MOST}"
        )
        edition = books.edition
    zone = settings_of(request).timezone
    for row in found:
        _told(row)
        for name in ("started_at", "finished_at", "published_at", "superseded_at"):
            row[name] = None if row[name] is None else row[name].astimezone(zone)
    return page(request, "runs.html.j2", runs=found, zone=zone.key, edition=edition)


def _told(row: Row) -> None:
    counts, changes = json.loads(row["counts"]), json.loads(row["changes"])
    row["counts"] = {n: counts.get(n) for n in ("events", "rounds", "findings", "checks")}
    row["changes"] = {
        "since": changes.get("since"),
        "reasons": changes.get("reasons", []),
        **{n: changes.get(n, {}).get("count", 0) for n in ("new", "gone", "changed")},
    }
    row["seconds"] = (row["finished_at"] - row["started_at"]).total_seconds()


ROUTES = [Route("/runs", runs)]
