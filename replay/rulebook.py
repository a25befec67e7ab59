"""A rulebook: its name, the day it came into force, its clauses, and how it settles a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from replay.answer import Key, Line
from replay.clause import Clause
from replay.facts import Round
from replay.findings import Findings
from replay.readings import Readings


@dataclass(slots=True)
class Outcome:
    """What settling a round gives."""

    status: str
    void_clause: str | None
    lines: list[Line]
    traces: dict[Key, list[dict[str, Any]]] = field(default_factory=dict)


Settle = Callable[[Round, Readings, Findings, bool], Outcome]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One version of one game's approved rules. A newer version is a new one beside it."""

    id: str
    title: str
    version: str
    in_force_from: datetime | None  # None where our copy of the text has no date
    clauses: tuple[Clause, ...]
    settle: Settle
    modules: tuple[str, ...]  # the modules that hold its rules, for the fingerprint

    @property
    def settle_module(self) -> str:
        """The package of the rulebook itself."""
        return next(module for module in self.modules if module.startswith("replay.rulebooks."))

    @property
    def gists(self) -> Mapping[str, str]:
        return {clause.number: clause.gist for clause in self.clauses}
