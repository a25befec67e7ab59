"""What is missing stays named: three real days with losses, each run again in every order.

Every number that a table sent and the archive does not have must be told by exactly one finding
over all days, however often and in whatever order the days are run, and as they are taken in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from pathlib import Path

from events.checkpoints import write_checkpoints
from events.log.base import Outgoing
from pipelines.night.plain import run_day
from tests.checks.kit import PlayedRecord
from tests.pipelines.kit import ask, sent, settings_of

DAYS = (date(2026, 11, 14), date(2026, 11, 15), date(2026, 11, 16))
STARTS = [datetime(2026, 11, 14 + n, 2, tzinfo=UTC) for n in range(3)]
A_DAY = 11
"""Events of a day: a shoe on the first, a round of ten, and a shoe's end on the others."""
MISSING = re.compile(r"events? (\d+)(?: to (\d+))?(?: of the table)? missing")

Named = Counter[tuple[str, int]]


@dataclass
class Losing:
    """A table that plays a round a day, and what of it does not reach the archive.

    heads: numbers that a checkpoint of the gateway knows. broken: sent, but nobody can read it.
    """

    table: str
    lost: set[int] = field(default_factory=set)
    heads: tuple[int, ...] = ()
    broken: set[int] = field(default_factory=set)
    days: list[list[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        record = PlayedRecord(self.table)
        for number, start in enumerate(STARTS):
            record.at = start
            if number == 0:
                record.shoe()
            else:
                record.add("CardBurnt", draw=record.draw + 1, card=None)
                record.draw += 1
            record.round(f"{self.table}-{number}")
            self.days.append(record.sent[number * A_DAY :])
        assert len(record.sent) == 3 * A_DAY

    def arriving(self, number: int) -> list[Outgoing]:
        key = self.table.encode()
        out = []
        for seq, value in enumerate(self.days[number], start=number * A_DAY + 1):
            if seq not in self.lost:
                out.append(Outgoing(key, value if seq not in self.broken else b"\xff" + value[1:]))
        return out

    def missing_after(self, number: int) -> set[int]:
        """What can be known to be missing once so many days were taken in."""
        have = {seq for seq in range(1, (number + 1) * A_DAY + 1) if seq not in self.lost}
        known = max([*have, *(h for h in self.heads if h <= (number + 1) * A_DAY)], default=0)
        return {seq for seq in self.lost if seq <= known}


def floor() -> list[Losing]:
    return [
        Losing("T-WHOLE"),
        Losing("T-END", {10, 11}, (11,)),
        Losing("T-END-TOLD-IN-PART", {9, 10, 11}, (10,)),
        Losing("T-MIDDLE", {15, 16, 17}, (11, 16, 22)),
        Losing("T-OVER", {10, 11, 12, 13}, (11,)),
        Losing("T-OVER-UNKNOWN", {11, 12}),
        Losing("T-OVER-KNOWN-LATER", {21, 22, 23}, (23,)),
        Losing("T-BEGINNING", {1, 2, 3}, (2,)),
        Losing("T-A-WHOLE-DAY", set(range(12, 23)), (11, 22)),
        Losing("T-FIRST-DAY", set(range(1, 12)), (11,)),
        Losing("T-LAST", {33}, (33,)),
        Losing("T-LAST-DAY", set(range(23, 34)), (33,)),
        Losing("T-UNREAD", {10}, (11,), {11}),
    ]


def take_in(home: Path, tables: Iterable[Losing], number: int) -> None:
    """A day's events, and the checkpoints that the gateways wrote of it."""
    some = list(tables)
    sent(home, [message for table in some for message in table.arriving(number)])
    from events.chain import Head
    from events.codec import body_of, hash_body

    for table in some:
        for head in table.heads:
            if (head - 1) // A_DAY == number:
                value = table.days[number][(head - 1) % A_DAY]
                ends = {table.table: Head(head, hash_body(body_of(value)))}
                write_checkpoints(home / "checkpoints.jsonl", ends, "asked for")


def run(home: Path, *days: date) -> None:
    for day in days:
        run_day(settings_of(home), day, with_suites=False)


def named(home: Path) -> Named:
    out: Named = Counter()
    for table, message in ask(home, "SELECT table_id, message FROM findings"):
        for first, last in MISSING.findall(message):
            out.update((table, seq) for seq in range(int(first), int(last or first) + 1))
    return out


def expected(tables: Iterable[Losing], number: int) -> Named:
    return Counter({(t.table, seq): 1 for t in tables for seq in t.missing_after(number)})


def test_each_missing_event_is_named_once_in_whatever_order_the_days_are_run(
    tmp_path: Path,
) -> None:
    home, tables = tmp_path / "home", floor()
    for number in range(3):
        take_in(home, tables, number)
        run(home, *DAYS[: number + 1])
        assert named(home) == expected(tables, number), f"after day {number + 1}"
    before = ask(home, "SELECT day, id FROM findings ORDER BY ALL")
    for order in permutations(DAYS):
        run(home, *order)
        assert named(home) == expected(tables, 2), order
        assert ask(home, "SELECT day, id FROM findings ORDER BY ALL") == before


def test_a_cut_end_stays_a_finding_of_its_day_when_the_next_day_comes(tmp_path: Path) -> None:
    home, tables = tmp_path / "home", [Losing("T-1", {10, 11, 12}, (11,))]
    asked = f"SELECT id, kind, table_id, seq FROM findings WHERE day = DATE '{DAYS[0]}'"
    take_in(home, tables, 0)
    run(home, DAYS[0])
    first = [row for row in ask(home, asked) if row[1] == "truncated"]
    assert [row[2:] for row in first] == [("T-1", 9)]
    take_in(home, tables, 1)
    run(home, DAYS[0], DAYS[1])
    assert [row for row in ask(home, asked) if row[1] == "truncated"] == first
    told = f"SELECT kind, seq, message FROM findings WHERE day = DATE '{DAYS[1]}'"
    ((kind, seq, message),) = [r for r in ask(home, told) if r[0] != "shoe_mismatch"]
    assert (kind, seq) == ("sequence_gap", 13)
    assert "event 12 of the table missing before event 13" in message


def test_a_wrong_clock_among_a_days_events_hides_no_loss(tmp_path: Path) -> None:
    """Event 5 says that it is of the second day, whose own events begin with 12; 10 and 11 are
    lost, and a checkpoint knows 11. The first day's stretch lies within the second's."""
    home, table = tmp_path / "home", Losing("T-1", {10, 11}, (11,))
    record = PlayedRecord("T-1")
    record.at = STARTS[0]
    record.shoe()
    record.open("A")
    record.play("A", "bet 1 P1 initial 10.00", "close")
    record.at += timedelta(days=1)
    record.play("A", "deal 1:KS")
    record.at -= timedelta(days=1)
    record.play("A", "deal 0:9H 1:QS", "stand 1 P1", "deal 0:KD")
    record.add("RoundClosed", "A")
    record.add("RoundClosed", "A")
    assert len(record.sent) == 11
    table.days[0] = list(record.sent)
    record.at = STARTS[1]
    record.round("B")
    table.days[1] = record.sent[11:]
    take_in(home, [table], 0)
    take_in(home, [table], 1)
    for order in permutations(DAYS[:2]):
        run(home, *order)
        assert named(home) == Counter({("T-1", 10): 1, ("T-1", 11): 1})
