"""The progressive meter across two linked tables: growth 1.00 a bet, reset 50,000.00.

Expected values are worked out from 3 Card Poker 1.15 (grows with each accepted bet, starts again
when won), 4.9.1 (who is paid first) and 5.17.2 (no bets after a malfunction).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from checks.across import Across, audit_across
from checks.meter import jackpot_events
from checks.table_day import Rows, to_table
from checks.tables import LINES
from events.settings import Jackpot
from tests.checks.kit import DAY, Record, columns

JACKPOTS = {"J": Jackpot(5_000_000, 100)}
POKER = "three-card-poker-rws-v3"


Happened = tuple[str, dict[str, Any]]


class Linked:
    """Tables on one meter; their events take turns by their clocks."""

    def __init__(self) -> None:
        self.tables = {name: Record(name, POKER) for name in ("T-1", "T-2")}
        self.lines = Rows()

    def round(
        self,
        table: str,
        name: str,
        bets: int,
        meter: int | None,
        *after: tuple[str, dict[str, Any]],
    ) -> None:
        """A round with so many progressive bets, read at `meter` cents."""
        record = self.tables[table]
        record.at = max(r.at for r in self.tables.values()) + timedelta(minutes=1)
        record.open(name, decks=1, jackpot_bet=500)
        for box in range(1, bets + 1):
            own = {"box": box, "hand": 1, "player": f"P{box}", "seated": True}
            record.add("BetPlaced", name, **own, bet="progressive", amount=500)
        record.add("BetsClosed", name)
        if meter is not None:
            record.add("JackpotRead", name, amount=meter, jackpot="J")
        for kind, own in after:
            record.add(kind, name, **own)
        record.add("RoundClosed", name)

    def won(self, table: str, name: str, box: int, cents: int) -> None:
        """The rulebook gives the meter to a box."""
        money = ("progressive", 500, 0, cents, "win", None, ["4.4"], [])
        self.lines.lines.append((DAY, table, name, POKER, box, 1, "P1", *money))

    def audit(self, jackpots: dict[str, Jackpot] | None = None, **more: Any) -> Across:
        events = pa.concat_tables([jackpot_events(columns(r.sent)) for r in self.tables.values()])
        lines = to_table(self.lines.lines, LINES)
        chosen = JACKPOTS if jackpots is None else jackpots
        return audit_across(DAY, events, lines, chosen, **more)

    def found(self, **more: Any) -> list[tuple[str, str | None]]:
        return [(f.kind, f.round) for f in self.audit(**more).findings]


def dealt(box: int, *cards: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("CardDealt", {"draw": n, "box": box, "hand": 1, "card": card, "face_up": False})
        for n, card in enumerate(cards, start=1)
    ]


def paid(box: int, cents: int) -> tuple[str, dict[str, Any]]:
    own = {"box": box, "hand": 1, "player": "P1", "bet": "progressive", "stake": 500}
    return "BetSettled", own | {"stake_returned": 0, "winnings": cents, "phase": "final"}


TOP = ("AS", "KS", "QS")


def test_it_grows_with_the_bets_of_both_tables() -> None:
    link = Linked()
    link.round("T-1", "A", 2, 6_000_000)
    link.round("T-2", "B", 3, 6_000_300)
    link.round("T-1", "C", 0, 6_000_300)
    link.round("T-2", "D", 1, 6_000_400)
    assert link.found() == []
    assert link.audit().meters == {"J": 6_000_400}


@pytest.mark.parametrize("shown", [6_000_200, 6_000_400, 6_000_000])
def test_a_reading_that_the_bets_do_not_give(shown: int) -> None:
    link = Linked()
    link.round("T-1", "A", 2, 6_000_000)
    link.round("T-2", "B", 3, shown)
    link.round("T-1", "C", 1, 6_000_400)
    assert link.found() == [("meter_mismatch", "B")]


def test_a_jump_that_stays_is_told_once() -> None:
    link = Linked()
    for number in range(8):
        link.round("T-2", f"Z{number}", 1, 5_999_200 + number * 100)
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_000_900)
    link.round("T-2", "C", 1, 6_001_000)
    link.round("T-1", "D", 1, 6_001_100)
    assert link.found() == [("meter_mismatch", "B")]


def close_together(shown: int) -> Linked:
    """T-1's bets close a second before T-2's meter is read; T-2 has none of its own."""
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-2", "B", 0, 6_000_000)
    link.round("T-1", "C", 1, None)
    two = link.tables["T-2"]
    two.at = link.tables["T-1"].at - timedelta(seconds=2)
    two.open("D", decks=1, jackpot_bet=500)
    two.add("BetsClosed", "D")
    two.add("JackpotRead", "D", amount=shown, jackpot="J")
    two.add("RoundClosed", "D")
    return link


def test_a_bet_of_another_table_within_seconds_may_be_in_a_reading_or_not() -> None:
    assert close_together(6_000_000).found() == []
    assert close_together(6_000_100).found() == []
    assert close_together(6_000_200).found() == [("meter_mismatch", "D")]
    assert close_together(6_000_050).found() == [("meter_mismatch", "D")]


def test_a_bet_of_the_same_table_is_never_in_doubt() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_000_100)
    link.round("T-1", "C", 1, 6_000_100)
    assert link.found() == [("meter_mismatch", "C")]


def test_a_bet_taken_back_in_time_was_not_accepted() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000)
    record = link.tables["T-1"]
    record.open("B", decks=1, jackpot_bet=500)
    own = {"box": 1, "hand": 1, "player": "P1", "bet": "progressive", "amount": 500}
    record.add("BetPlaced", "B", **own, seated=True)
    record.add("BetWithdrawn", "B", **own)
    record.add("BetsClosed", "B")
    record.add("JackpotRead", "B", amount=6_000_000, jackpot="J")
    record.add("RoundClosed", "B")
    assert link.found() == []


def test_it_starts_again_after_a_major_win() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000, *dealt(1, *TOP), paid(1, 6_000_000))
    link.won("T-1", "A", 1, 6_000_000)
    link.round("T-2", "B", 2, 5_000_200)
    assert link.found() == []


def test_a_meter_that_was_won_and_did_not_start_again() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000, *dealt(1, *TOP), paid(1, 6_000_000))
    link.won("T-1", "A", 1, 6_000_000)
    link.round("T-2", "B", 2, 6_000_200)
    assert link.found() == [("meter_mismatch", "B")]


def test_a_minor_win_does_not_start_it_again() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000, *dealt(1, "AH", "KH", "QH"), paid(1, 125_000))
    link.won("T-1", "A", 1, 125_000)
    link.round("T-2", "B", 1, 6_000_100)
    assert link.found() == []


def test_the_day_before_says_where_it_stood() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_100)
    assert link.found(before={"J": 6_000_000}) == []
    assert link.found(before={"J": 5_000_000}) == [("meter_mismatch", "A")]


def test_without_configuration_only_a_fall_without_a_win_can_be_told() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000)
    link.round("T-1", "B", 1, 6_777_777)
    link.round("T-2", "C", 1, 6_000_000)
    assert link.found(jackpots={}) == [("meter_mismatch", "C")]


# several winners


def two_winners(*, second_reads_late: bool, second_paid: int, first_pays_last: bool) -> Linked:
    """T-1's hand is complete first. Both win; T-2's meter is read before or after T-1 is paid."""
    link = Linked()
    one, two = link.tables["T-1"], link.tables["T-2"]
    one.open("A", decks=1, jackpot_bet=500)
    for record, name in ((one, "A"), (two, "B")):
        record.at = max(one.at, two.at)
        if record is two:
            two.open("B", decks=1, jackpot_bet=500)
        own = {"box": 1, "hand": 1, "player": "P1", "seated": True}
        record.add("BetPlaced", name, **own, bet="progressive", amount=500)
        record.add("BetsClosed", name)
        if record is one:
            record.add("JackpotRead", "A", amount=6_000_000, jackpot="J")
            for kind, cards in dealt(1, *TOP):
                record.add(kind, "A", **cards)
    if not second_reads_late:
        two.add("JackpotRead", "B", amount=6_000_100, jackpot="J")
    payments = [(one, "A", paid(1, 6_000_000)), (two, "B", paid(1, second_paid))]
    if second_reads_late:
        one.at = max(one.at, two.at)
        one.add(payments[0][2][0], "A", **payments[0][2][1])
        two.at = one.at
        two.add("JackpotRead", "B", amount=5_000_000, jackpot="J")
        payments = payments[1:]
    for kind, cards in dealt(1, *TOP):
        two.add(kind, "B", **cards)
    for record, name, (kind, own) in payments[::-1] if first_pays_last else payments:
        record.at = max(one.at, two.at)
        record.add(kind, name, **own)
    link.won("T-1", "A", 1, 6_000_000)
    link.won("T-2", "B", 1, 5_000_000 if second_reads_late else 6_000_100)
    return link


def test_4_9_1_the_second_winner_is_paid_what_is_displayed_afterwards() -> None:
    link = two_winners(second_reads_late=False, second_paid=5_000_000, first_pays_last=False)
    assert link.found() == []


def test_4_9_1_the_second_winner_is_paid_the_meter_that_the_first_has_taken() -> None:
    link = two_winners(second_reads_late=False, second_paid=6_000_100, first_pays_last=False)
    assert link.found() == [("meter_mismatch", "B")]
    assert link.audit().findings[0].clauses == ("4.9.1",)


def test_4_9_1_the_second_winner_is_paid_before_the_first() -> None:
    link = two_winners(second_reads_late=False, second_paid=5_000_000, first_pays_last=True)
    assert link.found() == [("meter_mismatch", "B")]


def test_4_9_1_winners_one_after_the_other_each_take_their_own_meter() -> None:
    link = two_winners(second_reads_late=True, second_paid=5_000_000, first_pays_last=False)
    assert link.found() == []


# after a malfunction


FAILED = ("IrregularityNoted", {"kind": "jackpot_malfunction", "by": "system"})


def test_5_17_2_no_progressive_bet_while_the_system_is_down() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000, FAILED)
    link.round("T-1", "B", 1, None)
    assert link.found() == [("illegal_bet", "B")]


def test_5_17_2_play_goes_on_without_progressive_bets() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000, FAILED)
    link.round("T-1", "B", 0, None)
    link.round("T-2", "C", 1, 6_000_100)  # the other table works
    assert link.found() == []


def test_5_17_2_once_the_meter_is_read_again_bets_are_taken() -> None:
    link = Linked()
    link.round("T-1", "A", 1, 6_000_000, FAILED)
    link.round("T-1", "B", 1, 6_000_100)
    link.round("T-1", "C", 1, 6_000_200)
    assert link.found() == []
