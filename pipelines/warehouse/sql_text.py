"""Values as SQL writes them, for whoever needs nothing else of the warehouse."""

from __future__ import annotations


def literal(value: object) -> str:
    """A text as SQL writes it."""
    return "'" + str(value).replace("'", "''") + "'"
