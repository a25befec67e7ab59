"""Players' references taken out of a page, for roles that must not see them.

Each gets a mask of its own that lasts as long as the desk runs, so that one can still tell that two
lines are of one player, and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from pipelines.investigate.page.drawing import shortened

_KEY = secrets.token_bytes(32)
_DEEP = 6
_PART = re.compile(r"(<[^>]*>)")
_SAID = re.compile(r'(?<=\s)(?:href|action|value|title|alt|aria-label|content|data-[\w-]+)="[^"]*"')
"""Attributes that say something; the others are the page's own words."""
_WORD = re.compile(r"[\w-]+")


def mask_of(player: str) -> str:
    return "player-" + hmac.new(_KEY, player.encode(), hashlib.sha256).hexdigest()[:6]


Known = Callable[[set[str]], set[str]]
"""Which of some words are players' references, as far as the house knows."""


def masked(text: str, facts: Mapping[str, Any], known: Known = lambda words: set()) -> str:
    """The page with every player masked that its facts name, or that the house knows: a comment or
    a sentence may name one that no field does."""
    parts = _PART.split(text)  # what stands between is escaped, so that a tag is one
    names = players_in(facts) | known({word for part in parts for word in _WORD.findall(part)})
    written = {form: mask for p in names for form, mask in _forms(p).items()}
    if not written:
        return text
    longest = sorted(written, key=len, reverse=True)
    found = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")

    def mask(part: str) -> str:
        return found.sub(lambda match: written[match[0]], part)

    return "".join(
        _SAID.sub(lambda match: mask(match[0]), part) if part.startswith("<") else mask(part)
        for part in parts
    )


def _forms(player: str) -> dict[str, str]:
    """How a page may write a reference: whole, and by its end where it would not fit."""
    mask = mask_of(player)
    forms = dict.fromkeys((escape(player), quote(player, safe=""), player), mask)
    if shortened(player) != player:
        forms[escape(shortened(player))] = shortened(mask)
    return forms


def players_in(value: Any, depth: int = _DEEP) -> set[str]:
    """Every value of a field called player, and every list called players."""
    if depth == 0:
        return set()
    if is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name, None) for f in fields(value)}
    if isinstance(value, Mapping):
        found: set[str] = set()
        for name, inner in value.items():
            if name == "player" and isinstance(inner, str):
                found.add(inner)
            elif name == "players" and isinstance(inner, list | tuple | set):
                found |= {p for p in inner if isinstance(p, str)}
            found |= players_in(inner, depth - 1)
        return found - {""}
    if isinstance(value, list | tuple):
        return set().union(*(players_in(inner, depth - 1) for inner in value))
    return set()
