"""A draft of a rulebook: a folder like those in replay/rulebooks, lying anywhere.

Its modules are imported as `replay.rulebooks.<folder>`, so that a copy of an approved rulebook with
its own name put in works as it is. It is code and runs with the rights of whoever names it.
"""

from __future__ import annotations

from pathlib import Path

import replay.rulebooks
from events.contract import did_you_mean
from events.errors import InputError
from replay.registry import IDS, add_draft, rulebook
from replay.rulebook import Rulebook

_APPROVED = {path.name for path in Path(str(replay.rulebooks.__file__)).parent.iterdir()}
_loaded: dict[Path, Rulebook] = {}


def is_draft(name: str) -> bool:
    """Whether a name on the command line is a folder and not an id."""
    return "/" in name or Path(name).is_dir()


def rulebook_or_draft(name: str) -> Rulebook:
    """A rulebook by its id, or the draft in a folder."""
    if is_draft(name):
        return load_draft(Path(name))
    book = rulebook(name)
    if book is None:
        raise InputError(
            f"no rulebook {name}{did_you_mean(name, IDS)}; evenhand rulebooks lists them, and a "
            f"draft is named by its folder"
        )
    return book


def load_draft(folder: Path) -> Rulebook:
    """The draft in a folder; the same one when it is asked for again."""
    place = folder.resolve()
    if place in _loaded:
        return _loaded[place]
    if not (place / "__init__.py").is_file():
        raise InputError(
            f"draft {folder}: expected a folder of a rulebook with an __init__.py, found none; "
            f"copy one of replay/rulebooks and put its new name in"
        )
    if not place.name.isidentifier() or place.name in _APPROVED:
        raise InputError(
            f"draft {folder}: expected a folder named like pontoon_plus_rws_v6, and like no "
            f"approved rulebook, found {place.name}; rename it and its own imports"
        )
    replay.rulebooks.__path__.append(str(place.parent))
    try:
        _loaded[place] = add_draft(place.name)
    except Exception as error:  # noqa: BLE001 - a draft is somebody's unfinished code
        raise InputError(
            f"draft {folder}: can't be loaded: {type(error).__name__}: {error}"
        ) from None
    return _loaded[place]
