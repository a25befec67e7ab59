"""Tables of 3 Card Poker on one meter: growth 1.00 a bet, reset 50,000.00, and whole rounds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from checks.around import Around
from checks.meter.across import Across, audit_across
from checks.meter.end import DayEnd, MeterStanding
from checks.table_day import Rows, audit_table_day
from events.settings import Jackpot
from tests.checks.kit import DAY, PlayedRecord, columns, findings

JACKPOTS = {"J": Jackpot(5_000_000, 100)}
POKER = "three-card-poker-rws-v3"
FOLDERS = ("2H 7D 9C", "3H 8D TC", "4H 9D JC", "2D 6H 8S", "3D 5H 9S")
"""Hands that are folded, box by box. The dealer does not qualify with J-7-5."""
TOP = "AS KS QS"
MINOR = "AH KH QH"

Found = list[tuple[str, str | None]]


class MeterTable(PlayedRecord):
    """One table; a round is played in parts, so that others can come in between."""

    def __init__(self, name: str) -> None:
        super().__init__(name, POKER)
        self.shoes = 0

    def bets(self, name: str, boxes: int, *more: str, close: bool = True) -> None:
        """Up to the close: `boxes` players, each with an Ante and a progressive bet."""
        self.shoes += 1
        shoe = f"S{self.shoes}"
        self.shoe(shoe, 1)
        limits = {"ante": {"min": 500, "max": 500_000}}
        own = {"rulebook": POKER, "shoe": shoe, "decks": 1, "boxes": 7, "limits": limits}
        self.add("RoundOpened", name, **own, jackpot_bet=500, dealt_from="shuffler")
        for box in range(1, max(boxes, 1) + 1):
            self.play(name, f"bet {box} P{box} ante 10.00")
            if boxes:
                self.play(name, f"bet {box} P{box} progressive 5.00")
        self.play(name, *more, *(["close"] if close else []))

    def read(self, name: str, cents: int, jackpot: str | None = "J") -> None:
        self.add("JackpotRead", name, amount=cents, jackpot=jackpot)

    def deal(self, name: str, boxes: int, first: str = FOLDERS[0]) -> None:
        hands = [first, *FOLDERS[1 : max(boxes, 1)]]
        for box, cards in enumerate(hands, start=1):
            self.play(name, "deal " + " ".join(f"{box}:{card}-" for card in cards.split()))
        self.play(name, "deal 0:JD- 0:7C- 0:5C-")

    def folds(self, name: str, boxes: int, start: int = 1) -> None:
        for box in range(start, max(boxes, 1) + 1):
            self.play(name, f"examine {box} P{box}", f"fold {box} P{box}")
            self.play(name, f"settle {box} P{box} ante 10.00 0 0")
            if boxes:
                self.play(name, f"settle {box} P{box} progressive 5.00 0 0")

    def wins(self, name: str) -> None:
        """P1 plays a suited A-K-Q: Ante 1 to 1, the Play back, and 5 to 1 as Ante Bonus."""
        self.play(name, "examine 1 P1", "play 1 P1", "bet 1 P1 play 10.00")
        self.play(name, "reveal 0", "reveal 1", "settle 1 P1 ante 10.00 10.00 10.00")
        self.play(name, "settle 1 P1 play 10.00 10.00 0", "settle 1 P1 ante_bonus 0 0 50.00")

    def pays(self, name: str, dollars: str) -> None:
        self.play(name, f"settle 1 P1 progressive 5.00 0 {dollars}")

    def end(self, name: str) -> None:
        self.play(name, "end")


class LinkedTables:
    """Two tables on one meter. Rounds follow one another by the minute, unless told otherwise."""

    def __init__(self) -> None:
        self.tables = {name: MeterTable(name) for name in ("T-1", "T-2")}
        self.arrived: dict[str, datetime] = {}  # by table, where that is known: all at once

    def __getitem__(self, table: str) -> MeterTable:
        return self.tables[table]

    @property
    def now(self) -> datetime:
        return max(table.at for table in self.tables.values())

    def later(self, table: str, **by: float) -> MeterTable:
        """The table, when all that happened so far is over."""
        found = self.tables[table]
        found.at = self.now + timedelta(**by)
        return found

    def round(self, table: str, name: str, bets: int, meter: int | None, *notes: str) -> None:
        """A round in which everybody folds."""
        at = self.later(table, minutes=1)
        at.bets(name, bets)
        if meter is not None:
            at.read(name, meter)
        at.deal(name, bets)
        at.play(name, *(f"examine {box} P{box}" for box in range(1, max(bets, 1) + 1)), *notes)
        at.folds(name, bets)
        at.end(name)

    def win(self, table: str, name: str, meter: int, cards: str = TOP, paid: str = "") -> None:
        """P1 takes the meter, or a fixed amount."""
        at = self.later(table, minutes=1)
        at.bets(name, 1)
        at.read(name, meter)
        at.deal(name, 1, cards)
        at.wins(name)
        at.pays(name, paid or f"{meter // 100}.{meter % 100:02d}")
        at.end(name)

    def days(self, around: Around | None = None) -> list[Rows]:
        return [
            audit_table_day(
                DAY, columns(table.sent, self.arrived.get(name)), around=around or Around()
            )
            for name, table in self.tables.items()
            if table.sent
        ]

    def audit(self, jackpots: dict[str, Jackpot] | None = None, **more: Any) -> Across:
        meters = [meter for rows in self.days() for meter in rows.meters]
        wins = [win for meter in meters for win in meter.wins]
        chosen = JACKPOTS if jackpots is None else jackpots
        return audit_across([meter.rows for meter in meters], wins, chosen, **more)

    def found(self, **more: Any) -> Found:
        return [(f.kind, f.round) for f in self.audit(**more).findings]

    def own(self) -> Found:
        """What the rounds themselves show."""
        return sorted((f["kind"], f["round"]) for rows in self.days() for f in findings(rows))


def stood(cents: int) -> DayEnd:
    """The day before, with the meter at this."""
    return DayEnd({"J": MeterStanding(cents)})


def two_winners(
    *, read: int = 6_000_100, pays: str = "50000.00", seconds_apart: float = 9, first: str = "T-1"
) -> LinkedTables:
    """Round A at T-1 and B at T-2 both have A-K-Q of spades; A's hand is complete first. A's meter
    is read at 60,000.00, B's bet takes it to 60,001.00. `first` is paid first; B is read before
    that, unless it read the meter that has started again."""
    link = LinkedTables()
    one, two = link.later("T-1", minutes=1), link.later("T-2", minutes=1)
    one.bets("A", 1)
    one.read("A", 6_000_000)
    two.at = one.at
    two.bets("B", 1)
    if read == 6_000_100:
        two.read("B", read)
    link.later("T-1").deal("A", 1, TOP)
    one.wins("A")
    complete = one.at - timedelta(seconds=11)  # the dealer's cards and what wins() adds
    if read != 6_000_100:
        one.pays("A", "60000.00")
        two.at = one.at
        two.read("B", read)
    two.at = max(two.at, complete + timedelta(seconds=seconds_apart - 3))
    two.deal("B", 1, TOP)
    two.wins("B")
    for table in ("T-1", "T-2") if first == "T-1" else ("T-2", "T-1"):
        at, name = link.later(table, seconds=5), "A" if table == "T-1" else "B"
        if table == "T-2" or read == 6_000_100:
            at.pays(name, "60000.00" if table == "T-1" else pays)
        at.end(name)
    return link
