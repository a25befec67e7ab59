"""The report as one page: self-contained, without a script, and good on paper."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from pipelines.investigate.words import card
from pipelines.night.context import Night
from pipelines.night.summary import SEVERITIES
from pipelines.pages.templating import environment, own
from pipelines.report.data import Facts
from pipelines.report.plots import hours_plot, kinds_plot, money_plot
from pipelines.warehouse.changes import AROUND_CHANGED, Changes
from pipelines.warehouse.record import code_version, fingerprints


def card_or_unknown(face: str | None) -> str:
    """A card as people read it; one that the device did not send is a question mark."""
    return card(face) if face else "?"


@cache
def _environment() -> Environment:
    return environment("pipelines.report", {"card": card_or_unknown})


@cache
def _style() -> Markup:
    return own("pipelines.report", "style.css")


def render(night: Night, facts: Facts, changes: Changes, warnings: list[str]) -> str:
    """The whole page."""
    kinds = facts.groups[0].rows
    has_money = facts.summary.overpaid or facts.summary.underpaid  # of one currency
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            **_frame(night),
            style=_style(),
            severities=SEVERITIES,
            warnings=warnings,
            quiet=facts.totals["rounds"] == 0,
            totals=facts.totals,
            summary=facts.summary,
            several=facts.several,
            changes=_sentence(changes.sentence()),
            change_reasons=changes.reasons if changes.since else [],
            gone=changes.lost,
            gone_why="; ".join(changes.reasons) or AROUND_CHANGED,
            hours_plot=hours_plot(facts.hours),
            money_plot=money_plot(kinds, "kind") if has_money else None,
            kinds_plot=kinds_plot(kinds),
            groups=facts.groups,
            voids=facts.voids,
            irregularities=facts.irregularities,
            rulings=facts.rulings,
            waivers=facts.waivers,
            integrity=facts.integrity,
            quality=facts.quality,
            worst=facts.worst,
        )
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _frame(night: Night) -> dict[str, Any]:
    """What stands around the findings: the day, the run, what went in."""
    settings, state = night.settings, night.state()
    start, end = (
        at.astimezone(settings.timezone)
        for at in (settings.gaming_day.start_of(night.day), settings.gaming_day.end_of(night.day))
    )
    readings = [f"{name}: {choice}" for name, choice in sorted(settings.readings.items())]
    return {
        "day": night.day.isoformat(),
        "day_text": f"{night.day:%A} {night.day.day} {night.day:%B %Y}",
        "from_text": f"{start:%H:%M}",
        "to_text": f"{end:%H:%M} the next day",
        "zone": settings.timezone.key,
        "events": state["pinned"]["events"],
        "run": night.folder.run,
        "dagster_run": night.dagster_run,
        "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
        "code_version": code_version(),
        "revision": state["pinned"]["revision"],
        "inputs": state["pinned"]["inputs"],
        "rulebooks": fingerprints(),
        "readings": ", ".join(readings),
        "witnessed": state.get("witnessed", {}).get("sentences", []),
    }
