"""Names that a settings file may use and only a later package knows: that package says them here.

Imports go one way, so the settings can't ask the replay which readings it has. Whoever loads
settings for real work imports `pipelines`, and that names the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches

_NEAREST = 3
_sources: dict[str, Callable[[], Collection[str]]] = {}


def come_from(what: str, source: Callable[[], Collection[str]]) -> None:
    """The names of one kind come from there, asked when the first is looked up."""
    _sources[what] = source


def refusal(what: str, name: str) -> str | None:
    """Why a name of a kind is refused, with those that are nearest; None where it is known, or
    where nobody said which there are."""
    source = _sources.get(what)
    if source is None or name in (known := source()):
        return None
    near = get_close_matches(name[:64], sorted(known), n=_NEAREST, cutoff=0.0)
    return (
        f"there is no {what} {name!r}; the nearest are {', '.join(near)}, and evenhand {what}s "
        f"lists all"
    )
