"""What a round writes down: steps with their time, the chips on the table, and their settlement.

Steps are plain tuples, not the typed events: a casino-day has some twenty million, and building
and taking apart a frozen object for each would double the time. The encoder checks the fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from random import Random
from typing import Any, ClassVar

from events.devices.cards import Shoe
from events.devices.chips import Chips, Money, Truth, returned
from events.devices.floor import Floor, Limits
from events.devices.people import Guest, Party

Step = tuple[int, str, dict[str, Any]]  # microseconds since the epoch, event type, its fields


class SimulatedTable:
    """What a round needs to know about the table it is played at."""

    __slots__ = (
        "boxes",
        "dealer",
        "dealt_from",
        "decks",
        "floor",
        "id",
        "jackpot",
        "limits",
        "party",
        "rng",
        "rulebook",
        "shoe",
        "tally",
        "tempo",
    )

    id: str
    rulebook: str
    boxes: int
    decks: int
    limits: Limits
    dealt_from: str
    dealer: str
    jackpot: str | None
    floor: Floor
    party: Party
    rng: Random
    shoe: Shoe
    tally: Counter[str]
    tempo: float


class VoidedError(Exception):
    """Somebody with the right to do so declares the round void."""

    def __init__(self, clause: str, reason: str, by: str = "pit_manager") -> None:
        super().__init__(clause)
        self.clause = clause
        self.reason = reason
        self.by = by


class SimulatedRound(ABC):
    """A round of any game. A game fills in `run`; trouble and faults override single steps."""

    main_bet = "initial"
    # what a kind of round asks of the table before it begins
    wants_new_shoe: ClassVar[bool] = False
    overlooks_the_cut: ClassVar[bool] = False
    shuffles: ClassVar[bool] = True
    decks: ClassVar[int | None] = None
    patience: ClassVar[int] = 8  # rounds to wait for an opportunity before others have a turn
    ends_shoe: ClassVar[bool] = False  # the shoe goes out of play after this round

    @classmethod
    def fits(cls, table: SimulatedTable) -> bool:  # noqa: ARG003 - some kinds look at it
        """Whether this kind of round can be played at this table."""
        return True

    def __init__(self, table: SimulatedTable, name: str, start_us: int) -> None:
        self.table = table
        self.name = name
        self.rng = table.rng
        self.now_us = start_us
        self.steps: list[Step] = []
        self.chips: list[Chips] = []
        self.void_clause: str | None = None
        self.planted: Truth | None = None
        self.happened = False  # the irregularity or the rare hand that this round is about
        self._pace = table.floor.pace
        self._random = table.rng.random
        self._tempo = table.tempo

    # writing down

    def say(self, event: str, /, **fields: Any) -> None:
        """Write down that this happened, after the pause that it takes."""
        least, more = self._pace[event]
        self.now_us += int((least + more * self._random()) * self._tempo)
        self.steps.append((self.now_us, event, fields))

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self._random() < share

    def seen(self, what: str) -> None:
        """Count something for the coverage table that the events alone do not say."""
        self.table.tally[what] += 1

    def note(self, kind: str, by: str = "dealer", **where: Any) -> None:
        """An irregularity that somebody saw."""
        self.say("IrregularityNoted", kind=kind, by=by, **where)

    # the parts every game has

    def play(self) -> None:
        """The whole round, from the announcement to the last chip."""
        self.open()
        try:
            self.run()
        except VoidedError as void:
            self.declare_void(void)
        self.close()

    @abstractmethod
    def run(self) -> None:
        """The game itself, between opening and closing."""

    def open(self) -> None:
        """Place your bets, please."""
        table = self.table
        self.say(
            "RoundOpened",
            rulebook=table.rulebook,
            shoe=table.shoe.name,
            decks=table.shoe.decks,
            boxes=table.boxes,
            limits={bet: {"min": low, "max": high} for bet, (low, high) in table.limits.items()},
            jackpot_bet=table.floor.jackpot.bet if table.jackpot else None,
            dealt_from=table.dealt_from,
            dealer=table.dealer,
        )

    def close(self) -> None:
        """Settlement is over."""
        self.before_close()
        self.say("RoundClosed")

    def before_close(self) -> None:  # noqa: B027 - an honest round does nothing here
        """A last look at the record, where a planted fault does its work."""

    # chips

    def place(
        self, box: int, guest: Guest, bet: str, cents: int, *, seated: bool, hand: int = 1
    ) -> Chips:
        """Chips go down."""
        chips = Chips(box, hand, guest, bet, cents, seated=seated)
        self.chips.append(chips)
        self.say(
            "BetPlaced",
            box=box,
            hand=hand,
            player=guest.ref,
            bet=bet,
            amount=cents,
            seated=seated,
        )
        return chips

    def refuse(self, box: int, guest: Guest, bet: str, cents: int) -> None:
        """Chips that the dealer turns down."""
        self.say("BetRefused", box=box, hand=1, player=guest.ref, bet=bet, amount=cents)

    def take_back(self, chips: Chips, cents: int) -> None:
        """Before the close a player takes chips back; a bet taken back whole is no bet."""
        self.say(
            "BetWithdrawn",
            box=chips.box,
            hand=chips.hand,
            player=chips.guest.ref,
            bet=chips.bet,
            amount=cents,
        )
        chips.placed_cents -= cents
        chips.counts_cents -= cents
        if not chips.placed_cents:
            self.chips.remove(chips)

    def settle(self, chips: Chips, money: Money, phase: str = "final") -> None:
        """What the dealer does with one bet."""
        chips.settled = money
        chips.step = len(self.steps)
        self.say(
            "BetSettled",
            box=chips.box,
            hand=chips.hand,
            player=chips.guest.ref,
            bet=chips.bet,
            stake=chips.placed_cents,
            stake_returned=money[0],
            winnings=money[1],
            phase=phase,
        )

    def pay_extra(self, box: int, player: str, bet: str, cents: int, phase: str) -> None:
        """A payment for which nobody staked anything."""
        self.say(
            "BetSettled",
            box=box,
            hand=1,
            player=player,
            bet=bet,
            stake=0,
            stake_returned=0,
            winnings=cents,
            phase=phase,
        )

    # when things go wrong

    def declare_void(self, void: VoidedError) -> None:
        """The round has no result; every bet goes back, what was paid is put right."""
        self.void_clause = void.clause
        self.say("RoundVoided", by=void.by, clause=void.clause, reason=void.reason)
        for chips in self.chips:
            before = chips.settled
            if before is None:
                self.settle(chips, returned(chips))
            elif before != returned(chips):
                self.put_right(chips, "the round is void")

    def put_right(self, chips: Chips, reason: str) -> None:
        """A bet that was settled already goes back whole."""
        self.say(
            "SettlementCorrected",
            box=chips.box,
            hand=chips.hand,
            player=chips.guest.ref,
            bet=chips.bet,
            stake=chips.placed_cents,
            stake_returned=chips.placed_cents,
            winnings=0,
            phase="final",
            reason=reason,
        )
        chips.settled = returned(chips)

    def seats_in_play(self) -> list[tuple[int, Guest, bool]]:
        """Each player of each box once, in order of box, the seated one first."""
        seen: dict[tuple[int, str], tuple[int, Guest, bool]] = {}
        for chips in sorted(self.chips, key=lambda c: (c.box, not c.seated)):
            seen.setdefault((chips.box, chips.guest.ref), (chips.box, chips.guest, chips.seated))
        return list(seen.values())
