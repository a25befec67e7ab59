"""The page's templates and the words that they write. Autoescape is on for everything."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from pipelines.investigate.lines_view import facts_text, outcome_of, place_of
from pipelines.investigate.page.layout import CARD_H, CARD_W
from pipelines.investigate.words import bet_name
from pipelines.pages import templating as pages

PACKAGE = "pipelines.investigate.page"


@cache
def environment() -> Environment:
    """Everything but our own style and script may come from a device, so all of it is escaped."""
    return pages.environment(PACKAGE, FILTERS, {"card_w": CARD_W, "card_h": CARD_H})


@cache
def shapes() -> Any:
    """The macros of the drawing, as functions that give Markup."""
    return environment().get_template("shapes.svg.j2").module


@cache
def own(name: str) -> Markup:
    return pages.own(PACKAGE, name)


def suits(words: str) -> Markup:
    """Escaped text with its hearts and diamonds in red, and all suits as text, not pictures."""
    out = escape(words)
    for sign in "♥♦":
        out = out.replace(sign, Markup(f'<span class="red">{sign}\ufe0e</span>'))
    for sign in "♠♣":
        out = out.replace(sign, f"{sign}\ufe0e")
    return out


FILTERS: pages.Filters = {
    "bet": bet_name,
    "place": place_of,
    "outcome": outcome_of,
    "facts": facts_text,
    "suits": suits,
}
