"""One set-up of Jinja2 for every page. Autoescape is on for everything: round ids, messages and
names come from devices and people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from replay.findings import dollars, signed_dollars

Filters = Mapping[str, Callable[..., Any]]


def environment(
    package: str,
    filters: Filters | None = None,
    names: Mapping[str, Any] | None = None,
    also: Mapping[str, str] | None = None,
) -> Environment:
    """The templates of a room; `also` are those of other rooms: a prefix and the package."""
    others = {prefix: PackageLoader(other) for prefix, other in (also or {}).items()}
    env = Environment(
        loader=ChoiceLoader([PackageLoader(package), PrefixLoader(others)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "money": dollars,
        "signed": signed_dollars,
        "px": lambda number: f"{number:.1f}",
        "fine": lambda number: f"{number:.3f}",
        "count": lambda number: f"{number:,}",
        "words": lambda text: str(text).replace("_", " "),
        "day": day_text,
        **(filters or {}),
    }
    env.globals |= names or {}
    return env


def own(package: str, name: str, folder_name: str = "templates") -> Markup:
    """A file of ours that stands in a page as it is."""
    folder = resources.files(package) / folder_name
    return Markup((folder / name).read_text("utf-8"))


def day_text(day: date | datetime) -> str:
    """A day as people say it."""
    return f"{day:%A} {day.day} {day:%B %Y}"
