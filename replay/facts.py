"""The facts of a round, as the fold finds them: what happened, in order, and nothing judged.

`at` is always the place of an event in the round, from 0. The classes are plain and slotted,
without checks, filled once by replay/fold.py: a casino-day folds some ten million of them, and
frozen dataclasses cost four times as much to make.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from replay.answer import Key

LATER_BETS = frozenset({"insurance", "double", "split", "play"})
"""Bets that are placed after the close by their nature."""

NEVER = 1 << 30
"""An index after every event."""


NONE: list[Any] = []
"""Nothing of that kind in the round. Shared and never changed: the fold makes a new list instead,
because most rounds have none of most things."""


class Card:
    """A card out of the shoe: where it was dealt, and where it belongs now."""

    __slots__ = ("at", "box", "dealt_box", "dealt_hand", "draw", "face", "face_up", "hand")

    def __init__(self, index: int, draw: int, box: int, hand: int, face: str, up: bool) -> None:
        self.at = index
        self.draw = draw
        self.box = self.dealt_box = box
        self.hand = self.dealt_hand = hand
        self.face = face
        self.face_up = up


class Bet:
    """One bet of one player on one hand, all its chips together."""

    __slots__ = (
        "at",
        "bet",
        "box",
        "hand",
        "last",
        "late",
        "more",
        "player",
        "seated",
        "stake",
        "taken",
        "taken_late",
    )

    def __init__(self, index: int, box: int, hand: int, player: str, bet: str) -> None:
        self.at = index  # of the first chips
        self.last = index  # of the last chips
        self.box = box
        self.hand = hand
        self.player = player
        self.bet = bet
        self.seated = False
        self.more: list[tuple[int, int]] = NONE  # chips after the first: when, and how many
        self.stake = 0  # chips down in time
        self.late = 0  # chips down after the close
        self.taken = 0  # chips withdrawn in time
        self.taken_late = 0  # chips withdrawn after the close

    @property
    def late_left(self) -> int:
        """Late chips that still lie there."""
        return max(0, self.late - self.taken_late)


class Decision(NamedTuple):
    at: int
    box: int
    hand: int
    player: str
    decision: str
    new_hand: int | None


class Moved(NamedTuple):
    at: int
    moves: tuple[tuple[int, int, int], ...]  # draw, box, hand


class Discard(NamedTuple):
    at: int
    draw: int
    reason: str


class Note(NamedTuple):
    at: int
    kind: str
    box: int | None
    hand: int | None
    player: str | None
    by: str
    detail: str | None


class Ruling(NamedTuple):
    at: int
    by: str
    clause: str
    ruling: str
    box: int | None
    hand: int | None


class Option(NamedTuple):
    at: int
    box: int
    player: str
    option: str


class Look(NamedTuple):
    """A player looked at a box's cards, or a hand was turned over (player None)."""

    at: int
    box: int
    hand: int
    player: str | None


class Button(NamedTuple):
    at: int
    box: int
    player: str
    multiplier: int


class MeterReading(NamedTuple):
    at: int
    amount: int
    jackpot: str | None


class DeclaredVoid(NamedTuple):
    """A void that somebody declared."""

    at: int
    by: str
    clause: str
    reason: str


class Settled(NamedTuple):
    at: int
    key: Key
    stake: int
    stake_returned: int
    winnings: int
    phase: str
    correction: str | None


class Round:
    """Everything that the events of one round say."""

    __slots__ = (
        "bets",
        "boxes",
        "burnt",
        "buttons",
        "cards",
        "close",
        "closed",
        "closed_at",
        "dealer",
        "dealt_from",
        "decisions",
        "decks",
        "events",
        "id",
        "irregular",
        "jackpot_bet",
        "limits",
        "looks",
        "meters",
        "notes",
        "opened_at",
        "options",
        "reopened",
        "revealed",
        "rulebook",
        "rulings",
        "seqs",
        "settled",
        "shoe",
        "shuffled",
        "steps",
        "table",
        "voids",
        "withdrawn",
    )

    def __init__(self, round_id: str, table: str | None) -> None:
        self.id = round_id
        self.table = table
        self.rulebook: str | None = None
        self.shoe: str | None = None
        self.decks = 0
        self.boxes = 0
        self.limits: dict[str, tuple[int, int]] = {}
        self.jackpot_bet: int | None = None
        self.dealt_from = "shoe"
        self.dealer: str | None = None
        self.opened_at: int | None = None  # microseconds since 1970, UTC
        self.shuffled: bool | None = None
        self.reopened: list[tuple[int, bool]] = NONE  # further openings: index, limits changed
        self.close = NEVER  # index of the close of bets, or of the first card where it is missing
        self.closed = False  # the round was closed
        self.closed_at: int | None = None  # by which event, the last one where there are several
        self.events = 0
        self.irregular = False  # a note, ruling, option, move, discard or void is there
        self.bets: dict[Key, Bet] = {}
        self.cards: list[Card] = []  # in the order dealt
        self.burnt: list[Card] = NONE
        self.steps: list[Card | Decision | Moved | Discard] = []  # in the order of play
        self.decisions: list[Decision] = []
        self.withdrawn: list[tuple[int, Key, int]] = NONE
        self.notes: list[Note] = NONE
        self.rulings: list[Ruling] = NONE
        self.options: list[Option] = NONE
        self.looks: list[Look] = NONE
        self.revealed: list[Look] = NONE
        self.buttons: list[Button] = NONE
        self.meters: list[MeterReading] = NONE
        self.voids: list[DeclaredVoid] = NONE
        self.settled: list[Settled] = []
        self.seqs: list[int | None] | None = None

    def seq(self, index: int | None) -> int | None:
        """The table's sequence number of an event of this round, where it is known."""
        if index is None or self.seqs is None or not 0 <= index < len(self.seqs):
            return None
        return self.seqs[index]
