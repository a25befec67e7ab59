"""The report as one page: self-contained, without a script, and good on paper."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipelines.night.context import Night
from pipelines.night.summary import SEVERITIES, cents
from pipelines.report.data import Facts
from pipelines.report.plots import hours_plot, kinds_plot, money_plot
from pipelines.warehouse.changes import Changes
from pipelines.warehouse.record import code_version

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def _card(card: str | None) -> str:
    """A card as people read it: 10♠ for TS; what is no card stays as it is."""
    if card is None or len(card) != 2 or card[1] not in _SUITS:
        return card or "?"
    return ("10" if card[0] == "T" else card[0]) + _SUITS[card[1]]


def _signed(amount: int) -> str:
    return f"{'+' if amount > 0 else ''}{cents(amount)}"


@cache
def _environment() -> Environment:
    """Autoescape is on for everything: round ids and messages come from outside."""
    env = Environment(
        loader=PackageLoader("pipelines.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["cents"] = cents
    env.filters["signed"] = _signed
    env.filters["card"] = _card
    env.filters["words"] = lambda text: str(text).replace("_", " ")
    return env


@cache
def _style() -> str:
    return resources.files("pipelines.report").joinpath("templates", "style.css").read_text("utf-8")


def render(night: Night, facts: Facts, changes: Changes, warnings: list[str]) -> str:
    """The whole page."""
    from markupsafe import Markup

    kinds = facts.groups[0].rows
    has_money = any(r["overpaid"] or r["underpaid"] for r in kinds)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            **_frame(night),
            style=Markup(_style()),  # our own file
            severities=SEVERITIES,
            warnings=warnings,
            quiet=facts.totals["rounds"] == 0,
            totals=facts.totals,
            summary=facts.summary,
            changes=_sentence(changes.sentence()),
            change_reasons=changes.reasons if changes.since else [],
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
    from pipelines.night.stages import fingerprints

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
    }
