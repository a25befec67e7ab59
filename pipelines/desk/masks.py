"""Players' references taken out of a page, for roles that must not see them.

Each gets a mask of its own that lasts as long as the desk runs, so that one can still tell that two
lines are of one player, and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any
from urllib.parse import quote

_KEY = secrets.token_bytes(32)
_DEEP = 6


def mask_of(player: str) -> str:
    return "player-" + hmac.new(_KEY, player.encode(), hashlib.sha256).hexdigest()[:6]


def masked(text: str, facts: Mapping[str, Any]) -> str:
    """The page with every player masked that its facts name."""
    names = players_in(facts)
    written = {form: mask_of(p) for p in names for form in {escape(p), quote(p, safe=""), p}}
    if not written:
        return text
    longest = sorted(written, key=len, reverse=True)
    found = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")
    return found.sub(lambda match: written[match[0]], text)


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
