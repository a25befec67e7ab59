"""Bets as chips on the table, what becomes of them, and how a planted fault names one."""

from __future__ import annotations

from dataclasses import dataclass

from events.devices.people import Guest

Money = tuple[int, int]  # what goes back of the stake, and what the house adds


class Chips:
    """One bet of one player on one hand. `counts_cents` is the part that wins or loses."""

    __slots__ = (
        "bet",
        "box",
        "counts_cents",
        "guest",
        "hand",
        "placed_cents",
        "seated",
        "settled",
        "step",
        "taken_back",
    )

    def __init__(
        self, box: int, hand: int, guest: Guest, bet: str, cents: int, *, seated: bool
    ) -> None:
        self.box = box
        self.hand = hand
        self.guest = guest
        self.bet = bet
        self.placed_cents = cents
        self.counts_cents = cents
        self.seated = seated
        self.settled: Money | None = None
        self.step = -1  # where among the round's steps it was settled
        self.taken_back = False  # after a dealing error; it has no part in the rest of the round


def won(chips: Chips, odds: tuple[int, int] = (1, 1)) -> Money:
    """The stake and the odds on what counts; part of a cent goes up, to the player."""
    times, of = odds
    return chips.placed_cents, -(-chips.counts_cents * times // of)


def lost(chips: Chips) -> Money:
    """Only what never counted goes back."""
    return chips.placed_cents - chips.counts_cents, 0


def returned(chips: Chips) -> Money:
    """Stand off, or a bet that goes back."""
    return chips.placed_cents, 0


def halved(chips: Chips) -> Money:
    """A surrendered bet: half goes back."""
    return chips.placed_cents - chips.counts_cents // 2, 0


@dataclass(frozen=True, slots=True)
class Truth:
    """A planted fault, as the truth file tells it."""

    kind: str
    box: int | None = None
    hand: int | None = None
    player: str | None = None
    bet: str | None = None
    seq: int | None = None  # of the event that shows it, where one does

    @classmethod
    def about(cls, kind: str, chips: Chips) -> Truth:
        """A fault in what was done with one bet."""
        return cls(kind, chips.box, chips.hand, chips.guest.ref, chips.bet)
