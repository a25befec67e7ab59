"""The report as one page: self-contained, without a script, and good on paper."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from events.settings import Settings
from pipelines.investigate.words import card
from pipelines.night.context import Night
from pipelines.night.summary import SEVERITIES
from pipelines.pages.templating import Filters, environment, own
from pipelines.report.data import Facts
from pipelines.report.plots import hours_plot, strip_plot
from pipelines.warehouse.changes import Changes
from pipelines.warehouse.record import code_version, fingerprints


def card_or_unknown(face: str | None) -> str:
    """A card as people read it; one that the device did not send is a question mark."""
    return card(face) if face else "?"


FILTERS: Filters = {
    "card": card_or_unknown,
    "path": lambda text: quote(str(text), safe=""),
}


@cache
def _environment() -> Environment:
    return environment("pipelines.report", FILTERS)


@cache
def _style() -> Markup:
    names = ("house.css", "day.css")
    return Markup("").join(own("pipelines.pages", name, "static") for name in names)


def render(
    night: Night, m: dict[str, Any], facts: Facts, changes: Changes, warnings: list[str]
) -> str:
    """The whole page, in one file."""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            m=m,
            base=night.settings.desk_address.rstrip("/"),
            around=None,
            style=_style(),
            when=when_text(night.settings, night.day),
            severities=SEVERITIES,
            warnings=warnings,
            several=facts.several,
            changes=_sentence(changes.sentence()),
            change_reasons=changes.reasons,
            hours_plot=hours_plot(facts.hours),
            strip_plot=strip_plot(m["strip"]),
            voids=facts.voids,
            irregularities=facts.irregularities,
            rulings=facts.rulings,
            waivers=facts.waivers,
            integrity=facts.integrity,
            quality=facts.quality,
            provenance=_provenance(night),
        )
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def when_text(settings: Settings, day: date) -> str:
    """From when to when the gaming day went, on the house's clock."""
    start, end = (
        at.astimezone(settings.timezone)
        for at in (settings.gaming_day.start_of(day), settings.gaming_day.end_of(day))
    )
    return f"gaming day {day}, {start:%H:%M} to {end:%H:%M} the next day ({settings.timezone.key})"


def _provenance(night: Night) -> list[tuple[str, list[str]]]:
    """What went in, and what made it."""
    settings, state = night.settings, night.state()
    pinned = state["pinned"]
    run = night.folder.run + (f", Dagster {night.dagster_run}" if night.dagster_run else "")
    turned = [f"{name}: {choice}" for name, choice in sorted(settings.readings.items())]
    files = [f"{name} {sha[:16]}" for name, sha in pinned["inputs"].items()]
    return [
        ("run", [run]),
        ("written", [f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"]),
        ("program", [code_version()]),
        ("archive", [f"revision {pinned['revision']}, {pinned['events']:,} events", *files]),
        ("witnesses", state.get("witnessed", {}).get("sentences", [])),
        ("rulebooks", [f"{name} {sha[:16]}" for name, sha in fingerprints().items()]),
        ("readings", [", ".join(turned) or "all as by default"]),
    ]
