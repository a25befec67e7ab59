"""Where each table stands in a log: the end of its chain before the day, and what it has since.

The same order gives the same messages, so a run that was cut short is completed by playing the
day again and leaving out, table by table, what the log already has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from events.chain import Head
from events.codec import HEADER_SIZE, MARKER, body_of, decode_record, hash_body
from events.devices.plan import Before
from events.errors import EvenhandError
from events.log.base import Message, Outgoing

MINOR_AT_MOST_CENTS = 1250_00  # no fixed amount of the progressive table is higher
WON = 0  # a meter that was won last; it starts again from its reset value
CLOCK_SET_US = 1_420_070_400_000_000  # 2015: a device with an earlier clock was never set


@dataclass(frozen=True, slots=True)
class StandingTable:
    """One table in the log: its chain's head before the day, and its messages of the day."""

    head: Head
    sent: int = 0
    last: bytes | None = None  # the last of them


def peek(value: bytes) -> tuple[int, int] | None:
    """Number and time of an event, read off the front of its bytes; None where it is none."""
    if value[:2] != MARKER:
        return None
    try:
        size, at = _varint(value, HEADER_SIZE)
        at += size >> 1  # the table's name
        branch, at = _varint(value, at)
        if branch:
            size, at = _varint(value, at)
            at += size >> 1  # the round's name
        seq, at = _varint(value, at)
        micros, at = _varint(value, at)
    except IndexError:
        return None
    return seq >> 1, micros >> 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """An Avro number as it is stored, before its sign is undone, and where the next begins."""
    shift = value = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


class Scan:
    """Reads a log once and answers for every table and every meter."""

    def __init__(self, start_us: int, end_us: int) -> None:
        self._start_us = start_us
        self._end_us = end_us
        self._before: dict[bytes, Head] = {}
        self._sent: dict[bytes, int] = {}
        self._last: dict[bytes, bytes] = {}
        self._meters = MetersBefore()

    def read(self, messages: Iterable[Message]) -> None:
        for message in messages:
            if message.key is not None:
                self._add(message.key, message.value)

    def _add(self, key: bytes, value: bytes) -> None:
        found = peek(value)
        if found is not None:
            seq, at_us = found
            if CLOCK_SET_US <= at_us < self._start_us:
                self._before[key] = Head(seq, hash_body(body_of(value)))
                self._sent[key] = 0
                self._meters.look(value, at_us)
                return
            if at_us >= self._end_us:
                raise EvenhandError(
                    f"table {key.decode()}: the log already has events of a later day; play the "
                    f"days in order, or use another EVENHAND_HOME"
                )
        self._sent[key] = self._sent.get(key, 0) + 1
        self._last[key] = value

    def standings(self) -> Mapping[str, StandingTable]:
        """Every table that the log knows."""
        out = {}
        for key in self._before.keys() | self._sent.keys():
            sent = self._sent.get(key, 0)
            last = self._last[key] if sent else None
            out[key.decode()] = StandingTable(self._before.get(key, Head()), sent, last)
        return out

    def before(self, ends: Mapping[str, Head]) -> Before:
        """What the day goes on from. A table whose end the log has lost goes on from `ends`."""
        heads = {}
        for table, standing in self.standings().items():
            known = ends.get(table, standing.head)
            lost = not standing.sent and known.seq > standing.head.seq
            heads[table] = known if lost else standing.head
        return Before(heads, self._meters.cents())


class MetersBefore:
    """Where each progressive meter stood after the events before the day.

    Every close of bets is followed by a reading, so the last reading has everything; only a win
    after it starts the meter again.
    """

    def __init__(self) -> None:
        self._read: dict[str, tuple[int, int]] = {}  # meter -> time, cents
        self._won: dict[str, tuple[int, int]] = {}  # table -> time, cents
        self._meter_of: dict[str, str] = {}

    def look(self, value: bytes, at_us: int) -> None:
        """One event; most are passed over without being decoded."""
        if b"\x0ejackpot" not in value and b"progressive" not in value:
            return
        record = decode_record(value)
        kind, own = record["event"]
        if kind == "JackpotRead" and own["jackpot"] is not None:
            self._meter_of[record["table"]] = own["jackpot"]
            self._read[own["jackpot"]] = max(
                self._read.get(own["jackpot"], (0, 0)), (at_us, own["amount"])
            )
        elif kind == "BetSettled" and own["winnings"] > MINOR_AT_MOST_CENTS:
            self._won[record["table"]] = (at_us, own["winnings"])

    def cents(self) -> dict[str, int]:
        """The meters that were not won after their last reading; the others start anew."""
        won: dict[str, int] = {}
        for table, (at_us, _) in self._won.items():
            name = self._meter_of.get(table, "")
            won[name] = max(won.get(name, 0), at_us)
        return {
            name: WON if won.get(name, 0) > at_us else cents
            for name, (at_us, cents) in self._read.items()
        }


class Filter:
    """Lets through what the log does not have yet, and makes sure that the rest is the same."""

    def __init__(self, standings: Mapping[str, StandingTable]) -> None:
        self._left = {table: s.sent for table, s in standings.items() if s.sent}
        self._last = {table: s.last for table, s in standings.items() if s.sent}

    def new(
        self, table: str, values: list[bytes], arrivals: list[tuple[int, int]]
    ) -> list[Outgoing]:
        """The messages that are still to be written. `arrivals`: how many were there by when."""
        arrived_us = one_by_one(arrivals)
        left = self._left.get(table, 0)
        if left:
            skipped = min(left, len(values))
            self._left[table] = left - skipped
            if skipped == left and values[skipped - 1] != self._last[table]:
                raise OtherRoundsError(table)
            values, arrived_us = values[skipped:], arrived_us[skipped:]
        key = table.encode()
        return [Outgoing(key, *pair) for pair in zip(values, arrived_us, strict=True)]

    def check_done(self) -> None:
        """The log has no more of a table than this order gives."""
        for table, left in self._left.items():
            if left:
                raise OtherRoundsError(table)


def one_by_one(arrivals: list[tuple[int, int]]) -> list[int]:
    """When each message arrived, of how many had by when."""
    out: list[int] = []
    for count, arrived_us in arrivals:
        out += [arrived_us] * (count - len(out))
    return out


class OtherRoundsError(EvenhandError):
    """The log has a day of this table that another order made."""

    def __init__(self, table: str) -> None:
        super().__init__(
            f"table {table}: the log already has other rounds of that day; give the same options "
            f"and seed to complete them, or another day or EVENHAND_HOME"
        )
