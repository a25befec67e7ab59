"""Two versions of a rulebook held against each other, paragraph by paragraph and rule by rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipelines.rulebook_pages import gives_words
from replay.rulebook import Rulebook

Told = Mapping[str, str]


def difference(old: Rulebook, new: Rulebook) -> dict[str, Any]:
    """What changed of paragraphs, rules and readings: each entry with what it was and is.

    `before` or `after` is null where only the other version has it.
    """
    return {
        "from": old.id,
        "to": new.id,
        "clauses": _changes(_clauses(old), _clauses(new)),
        "rules": _changes(_rules(old), _rules(new)),
        "readings": _changes(_readings(old), _readings(new)),
    }


def _changes(old: Told, new: Told) -> list[dict[str, str | None]]:
    keys = [*new, *(key for key in old if key not in new)]
    return [
        {"what": key, "before": old.get(key), "after": new.get(key)}
        for key in keys
        if old.get(key) != new.get(key)
    ]


def _clauses(book: Rulebook) -> Told:
    return {c.number: f"{c.held.replace('_', ' ')}: {c.gist}" for c in book.clauses}


def _rules(book: Rulebook) -> Told:
    """By bet and what the rule asks; its place among the others counts, because they are asked in
    order."""
    out = {}
    for bet, asked in book.rules.items():
        for place, rule in enumerate(asked, start=1):
            told = f"{place}. {gives_words(rule)} ({', '.join(rule.clauses)})"
            out[f"{bet}: {rule.what}"] = told
    return out


def _readings(book: Rulebook) -> Told:
    return {
        r.id: f"{r.question} {r.default} (other: {r.other}; {', '.join(r.clauses)})"
        for r in book.readings
    }
