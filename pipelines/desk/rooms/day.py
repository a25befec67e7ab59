"""/, /days and /day/DATE: the morning page, and the list of days."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from events.settings import Settings
from pipelines.desk.books import Books
from pipelines.desk.errors import not_found
from pipelines.desk.kept import KeptContents
from pipelines.desk.pages import books_of, content_of, page, settings_of
from pipelines.night.due import Published, stale_among
from pipelines.report.morning import money_of, morning
from pipelines.report.page import when_text
from pipelines.report.plots import hours_plot, strip_plot
from pipelines.warehouse.layout import RunFolder


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
        folder = books.folder_of(wanted)
        if folder is None:
            raise not_found(
                "day", f"No run has published {wanted}; {len(days)} days are published."
            )
        around = _around(days, wanted)
        due = _later(books, wanted, settings_of(request))
        source = (books.edition, books.decided, *due)
        kept: KeptContents = request.app.state.kept

        def make() -> tuple[dict[str, Any], Markup]:
            told = morning(books, wanted, around["earlier"])
            facts = _facts(books, folder, settings_of(request), due)
            facts["strip_plot"] = strip_plot(told["strip"])
            return told, content_of("report/morning.html.j2", m=told, around=around, **facts)

        told, content = kept.of(("day", wanted), source, make)
        edition = books.edition
    return page(request, "day.html.j2", m=told, content=content, edition=edition)


def _around(days: list[date], wanted: date) -> dict[str, date | None]:
    """The published days before and after one; `days`: the newest first."""
    earlier, later = [d for d in days if d < wanted], [d for d in days if d > wanted]
    return {"earlier": earlier[0] if earlier else None, "later": later[-1] if later else None}


def _facts(books: Books, folder: RunFolder, settings: Settings, due: list[str]) -> dict[str, Any]:
    """What the run itself knows of its day: it was counted once, when the day was audited."""
    report = _report(folder)
    changes = report.get("changes", {})
    run = books.one("SELECT * FROM runs WHERE day = ? AND current", [folder.day]) or {}
    hours, zone = report.get("hours", []), settings.timezone
    return {
        "when": when_text(settings, folder.day),
        "warnings": [*report.get("warnings", []), *due],
        "several": len({m["currency"] for m in money_of(books, folder.day)}) > 1,
        "changes": _changes(changes),
        "change_reasons": changes.get("reasons", []),
        "hours_plot": hours_plot(hours) if hours else "",
        "voids": report.get("voids", []),
        "irregularities": report.get("irregularities", []),
        "rulings": report.get("rulings", []),
        "integrity": report.get("integrity", {"tables": 0, "whole": 0, "broken": [], "nobody": 0}),
        "quality": books.rows(
            "SELECT * FROM data_quality WHERE day = ? ORDER BY passed, suite, check_name",
            [folder.day],
        ),
        "waivers": books.rows("SELECT * FROM waivers WHERE day = ? ORDER BY id", [folder.day]),
        "provenance": [
            ("run", [str(run.get("run"))]),
            ("published", [f"{run['published_at'].astimezone(zone):%Y-%m-%d %H:%M:%S} ({zone})"]),
            ("program", [str(run.get("code_version"))]),
            ("archive", [f"revision {run.get('revision')}"]),
            ("witnesses", (report.get("witnessed") or {}).get("sentences", [])),
        ],
    }


def _later(books: Books, day: date, settings: Settings) -> list[str]:
    """Whether the day is due again, from where the sensor for late events has it."""
    sql = "SELECT day, run, revision, complete, inputs FROM runs WHERE current AND day IN (?, ?)"
    rows: list[Published] = [
        (row["day"], row["run"], row["revision"], row["complete"], row["inputs"])
        for row in books.rows(sql, [day - timedelta(days=1), day])
    ]
    if day not in {stale for stale, _ in stale_among(settings.home, rows)}:
        return []
    return [
        "Since this run was made, late events have come or the day before has changed: the day is "
        "due again (evenhand nightly --due, or the service by itself), and this page then changes."
    ]


def _report(folder: RunFolder) -> dict[str, Any]:
    """The summary that the night wrote; a run of an earlier version may lack parts of it."""
    try:
        found: dict[str, Any] = json.loads(folder.report("json").read_text("utf-8"))
    except (OSError, ValueError):
        return {
            "warnings": ["The summary of this run can't be read: parts of this page are empty."]
        }
    return found


def _changes(changes: dict[str, Any]) -> str:
    if not changes.get("since"):
        return "First run of this day"
    counts = {name: changes.get(name, {}).get("count", 0) for name in ("new", "gone", "changed")}
    if not any(counts.values()):
        return f"No finding differs from run {changes['since']}"
    told = ", ".join(f"{n} {name}" for name, n in counts.items())
    return f"Since run {changes['since']}: {told}"


def days(request: Request) -> Response:
    with books_of(request) as books:
        found = books.rows(
            "SELECT day, sum(rounds)::BIGINT AS rounds, count(DISTINCT table_id) AS tables, "
            "sum(findings)::BIGINT AS findings FROM daily_figures GROUP BY day ORDER BY day DESC"
        )
        kinds = books.rows(
            "SELECT day, severity, count(*) AS n, count(*) FILTER (waiver IS NULL) AS open "
            "FROM findings GROUP BY ALL"
        )
        edition = books.edition
    by: dict[date, dict[str, int]] = {}
    for row in kinds:
        by.setdefault(row["day"], {})[row["severity"]] = row["n"]
    return page(request, "days.html.j2", days=found, by=by, edition=edition)


ROUTES = [Route("/", newest), Route("/days", days), Route("/day/{day}", day)]
