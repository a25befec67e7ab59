"""What is known of a day: rounds, the lines that the text gives, what was paid, and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from events.log.base import Outgoing
from events.model import Event
from tests.checks.contract import SEVERITY_OF

Key = tuple[int, int, str, str]


@dataclass(frozen=True)
class Put:
    """A golden round, by its name, at its place in the day.

    reads: readings that its lines depend on by the register of readings, beside those that the
        golden round has in braces: reading -> the places of the lines.
    more: further steps before the round is closed, in the words of golden rounds.
    found: findings beside the golden round's own.
    meter: what the progressive meter shows, in cents, where no line depends on it.
    minute: when it opens; without it five minutes after the one before.
    damage: what happens to its record: gap, twice, swapped, changed, unreadable, clock, rubbish, or
        shoe: the shoe ends with two cards too few. It befalls the close of the bets, or the first
        event of the type that is named after it.
    rulebook: what the round says instead of its rulebook.
    """

    name: str
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    meter: int | None = None
    minute: int | None = None
    damage: str | None = None
    rulebook: str | None = None


@dataclass(frozen=True)
class KnownTable:
    """A table's day. The second dealer takes over with the round of that number."""

    name: str
    rulebook: str
    dealers: tuple[str, str]
    handover: int
    players: Mapping[str, str]
    rounds: tuple[Put, ...]


class KnownRound(NamedTuple):
    table: str
    id: str
    rulebook: str
    dealer: str
    opened: datetime
    status: str
    first_seq: int
    events: tuple[Event, ...]


class Money(NamedTuple):
    """A line that the text gives, or what the table recorded for it in the end."""

    table: str
    round: str
    rulebook: str
    key: Key
    stake: int
    back: int
    winnings: int
    outcome: str = ""
    readings: tuple[str, ...] = ()
    corrected: bool = False

    @property
    def total(self) -> int:
        return self.back + self.winnings


class Found(NamedTuple):
    kind: str
    table: str
    round: str | None
    dealer: str | None
    box: int | None
    hand: int | None
    player: str | None
    bet: str | None
    money: int | None
    seq: int | None = None  # only of what is wrong with the record

    @property
    def severity(self) -> str:
        return SEVERITY_OF[self.kind]


class KnownShoe(NamedTuple):
    table: str
    name: str
    decks: int
    rounds: int
    drawn: int
    left: int


@dataclass
class Known:
    """What is known of the day, and the messages that the tables sent."""

    rounds: list[KnownRound] = field(default_factory=list)
    due: list[Money] = field(default_factory=list)
    paid: list[Money] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    shoes: list[KnownShoe] = field(default_factory=list)
    sent: list[Outgoing] = field(default_factory=list)
