"""The typed events: one frozen class per row of the contract, and the envelope around it.

The annotations are the contract: the validation, the JSON reader and the columns are derived from
them (events/contract.py), and a test holds the Avro schema to the same fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Limit:
    """The smallest and the largest amount of one bet, in cents."""

    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Move:
    """Where a drawn card belongs after a reconstruction."""

    draw: int
    box: int
    hand: int


class Event:
    """What happened, without the envelope. Every subclass is a frozen dataclass."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TableOpened(Event):
    rulebook: str
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class TableClosed(Event):
    pass


@dataclass(frozen=True, slots=True)
class ShoeStarted(Event):
    shoe: str
    decks: int
    shuffled: bool


@dataclass(frozen=True, slots=True)
class ShoeEnded(Event):
    shoe: str
    cards_left: int


@dataclass(frozen=True, slots=True)
class RoundOpened(Event):
    rulebook: str
    shoe: str
    decks: int
    boxes: int
    limits: Mapping[str, Limit]
    jackpot_bet: int | None = None
    dealt_from: str | None = None
    dealer: str | None = None


@dataclass(frozen=True, slots=True)
class BetPlaced(Event):
    box: int
    hand: int
    player: str
    bet: str
    amount: int
    seated: bool


@dataclass(frozen=True, slots=True)
class BetWithdrawn(Event):
    box: int
    hand: int
    player: str
    bet: str
    amount: int


@dataclass(frozen=True, slots=True)
class BetRefused(Event):
    box: int
    hand: int
    player: str
    bet: str
    amount: int


@dataclass(frozen=True, slots=True)
class BetsClosed(Event):
    pass


@dataclass(frozen=True, slots=True)
class CardBurnt(Event):
    draw: int
    card: str | None = None


@dataclass(frozen=True, slots=True)
class CardDealt(Event):
    draw: int
    box: int
    hand: int
    card: str
    face_up: bool


@dataclass(frozen=True, slots=True)
class CardDiscarded(Event):
    draw: int
    reason: str


@dataclass(frozen=True, slots=True)
class CardsMoved(Event):
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class HandExamined(Event):
    box: int
    player: str


@dataclass(frozen=True, slots=True)
class HandRevealed(Event):
    box: int
    hand: int


@dataclass(frozen=True, slots=True)
class DecisionMade(Event):
    box: int
    hand: int
    player: str
    decision: str
    new_hand: int | None = None


@dataclass(frozen=True, slots=True)
class ButtonPressed(Event):
    box: int
    player: str
    multiplier: int


@dataclass(frozen=True, slots=True)
class JackpotRead(Event):
    amount: int
    jackpot: str | None = None


@dataclass(frozen=True, slots=True)
class IrregularityNoted(Event):
    kind: str
    by: str
    box: int | None = None
    hand: int | None = None
    player: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class OptionTaken(Event):
    box: int
    player: str
    option: str


@dataclass(frozen=True, slots=True)
class RulingMade(Event):
    by: str
    clause: str
    ruling: str
    box: int | None = None
    hand: int | None = None
    player: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class BetSettled(Event):
    box: int
    hand: int
    player: str
    bet: str
    stake: int
    stake_returned: int
    winnings: int
    phase: str


@dataclass(frozen=True, slots=True)
class SettlementCorrected(Event):
    box: int
    hand: int
    player: str
    bet: str
    stake: int
    stake_returned: int
    winnings: int
    phase: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoundVoided(Event):
    by: str
    clause: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoundClosed(Event):
    pass


@dataclass(frozen=True, slots=True)
class HeadSigned(Event):
    key: str
    signature: bytes


EVENT_TYPES: dict[str, type[Event]] = {
    cls.__name__: cls
    for cls in (
        TableOpened,
        TableClosed,
        ShoeStarted,
        ShoeEnded,
        RoundOpened,
        BetPlaced,
        BetWithdrawn,
        BetRefused,
        BetsClosed,
        CardBurnt,
        CardDealt,
        CardDiscarded,
        CardsMoved,
        HandExamined,
        HandRevealed,
        DecisionMade,
        ButtonPressed,
        JackpotRead,
        IrregularityNoted,
        OptionTaken,
        RulingMade,
        BetSettled,
        SettlementCorrected,
        RoundVoided,
        RoundClosed,
        HeadSigned,
    )
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """One event as a table sent it. In a hand-written round everything but `event` may be None."""

    event: Event
    round: str | None = None
    table: str | None = None
    seq: int | None = None
    at: datetime | None = None
    device: str | None = None
    prev: bytes | None = None

    @property
    def type(self) -> str:
        return type(self.event).__name__
