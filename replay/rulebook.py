"""A rulebook: its name, the day it came into force, its clauses, and how it settles a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from replay.answer import Key, Line
from replay.clause import Clause
from replay.episodes import Episodes
from replay.facts import Round
from replay.findings import Findings
from replay.readings import Reading, Readings
from replay.rules import Rule


@dataclass(slots=True)
class Outcome:
    """What settling a round gives."""

    status: str
    void_clause: str | None
    lines: list[Line]
    traces: dict[Key, list[dict[str, Any]]] = field(default_factory=dict)
    episodes: Episodes | None = None  # what was irregular, for who explains the round
    otherwise: dict[str, Outcome] = field(default_factory=dict)
    """What the other reading of an id gives, where settling by this one showed it already."""


Settle = Callable[[Round, Readings, Findings, bool], Outcome]
HandWords = Callable[[list[str], bool, bool], str]
"""A hand's cards, whether it was doubled and whether it was split, to what people call it."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One version of one game's approved rules. A newer version is a new one beside it."""

    id: str
    title: str
    version: str
    in_force_from: datetime | None  # None where our copy of the text has no date
    clauses: tuple[Clause, ...]
    settle: Settle
    package: str  # where its own rules stand
    rules: Mapping[str, tuple[Rule[Any], ...]]  # by bet, in the order in which they are asked
    readings: tuple[Reading, ...]  # where its text allows more than one
    deck: frozenset[str]  # the cards of one of its decks
    main_bet: str  # the bet that every box begins with
    opening_bets: tuple[str, ...]  # the bets with limits of their own, the main bet first
    usual_decks: int
    hand_words: HandWords
    jackpot_rows_cents: frozenset[int] = frozenset()
    """What the fixed rows of its progressive pay table pay; anything else is the meter."""

    in_force_until: datetime | None = None  # None: still in force, or nobody said when it ends
    house: str | None = None  # the property whose rules these are
    notice: str | None = None  # id of the notice of approval; None where our copy has none

    @property
    def gists(self) -> Mapping[str, str]:
        return {clause.number: clause.gist for clause in self.clauses}
