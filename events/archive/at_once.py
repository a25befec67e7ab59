"""Messages taken in as a whole, where nothing is wrong with any of them.

The answer is the one that judging them one by one gives (events/archive/intake.py), to the byte,
or an OddError: then those that are odd are judged one by one, and whatever is wrong is told there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from events.archive.arrow_arrays import fixed_array, word_array
from events.archive.batch_columns import BatchColumns, read_batch
from events.archive.columns import ARROW_SCHEMA
from events.archive.evidence import StoredMessage
from events.archive.rounds import RoundIndex
from events.bounds import Bounds, moment_of
from events.codec import HEADER_SIZE
from events.lockstep import Numbers, OddError, must_not

FEWEST = 100
"""Below this a batch costs more than its messages one by one."""

_SOUND_US = 10**17
_EPOCH_DAY = date(1970, 1, 1)
_ONE_US = timedelta(microseconds=1)


class MessageColumns(NamedTuple):
    """Messages as the log has them, field by field."""

    partition: tuple[int, ...]
    offset: tuple[int, ...]
    key: tuple[bytes | None, ...]
    value: tuple[bytes, ...]
    damage: tuple[str | None, ...]
    arrived_us: tuple[int | None, ...]

    def some(self, rows: list[int]) -> MessageColumns:
        columns: Any = [tuple([column[row] for row in rows]) for column in self]
        return MessageColumns(*columns)


@dataclass(slots=True)
class DayBatch:
    """A batch's events of one day: the messages as they came, and the same as columns."""

    messages: list[StoredMessage]
    columns: pa.Table

    @property
    def rounds_opened(self) -> int:
        types: Any = self.columns["type"].value_counts()
        return sum(t["counts"] for t in types.to_pylist() if t["values"] == "RoundOpened")


def joined(parts: Sequence[DayBatch]) -> DayBatch:
    """The same day's parts of a batch, in order, as if they had been taken together."""
    if len(parts) == 1:
        return parts[0]
    columns = pa.concat_tables([part.columns for part in parts])
    return DayBatch(
        [message for part in parts for message in part.messages],
        columns.unify_dictionaries().combine_chunks(),
    )


def cut(count: int, odd: Iterable[int]) -> Iterator[tuple[int, int, bool]]:
    """Stretches of a batch, first and after the last: those long enough in which no row is odd
    (True), and what lies between them (False)."""
    done = start = 0
    for row in [*odd, count]:
        if row - start >= FEWEST:
            if start > done:
                yield done, start, False
            yield start, row, True
            done = row
        start = row + 1
    if done < count:
        yield done, count, False


@dataclass(slots=True)
class Whole:
    """A batch in which nothing is wrong: its days, and the day that each table was last seen on."""

    days: dict[date, DayBatch]
    last_day: dict[str, date]
    latest: date


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Takes whole batches of one log."""

    source: str
    rounds: RoundIndex
    day_of: Callable[[datetime], date]
    bounds: Bounds
    history: bool

    def take(self, messages: MessageColumns, first_seen_us: int) -> Whole:
        """The days of these messages, all of them new and undamaged; an OddError where one is not
        plain, and then nothing is changed."""
        read = read_batch(messages.value, messages.key, self.bounds)
        arrived = self._arrivals(messages, read.at_us, first_seen_us)
        with self.rounds.asked_often():
            days, of_day = self._days(read)
        last = np.empty(len(read.tables), np.int64)
        last[read.table_codes] = of_day  # of a table's several the last one stays
        last_day = {name: days[n] for name, n in zip(read.tables, last.tolist(), strict=True)}
        return Whole(self._parts(messages, read, arrived, days, of_day), last_day, days[of_day[-1]])

    def _arrivals(
        self, messages: MessageColumns, at_us: Numbers, first_seen_us: int
    ) -> Numbers | None:
        """When each arrived; an OddError where a clock was wrong then. None: history."""
        if self.history:
            return None
        said = [first_seen_us if at is None else at for at in messages.arrived_us]
        ends = min(said), max(said)
        if ends[0] < -_SOUND_US or ends[1] > _SOUND_US or None in map(self.bounds.times, ends):
            raise OddError
        arrived = np.array(said, np.int64)
        behind, ahead = self.bounds.clock_behind // _ONE_US, self.bounds.clock_ahead // _ONE_US
        must_not((at_us < arrived - behind) | (at_us > arrived + ahead))
        return arrived

    def _days(self, read: BatchColumns) -> tuple[list[date], Numbers]:
        """The days in the order in which they first come, and which of them each event is of."""
        days: dict[date, int] = {}
        of_round = np.empty(len(read.rounds) + 1, np.int64)  # one more for -1: no round
        of_day = np.empty(len(read.at_us), np.int64)
        codes, firsts = np.unique(read.round_codes, return_index=True)
        between = np.flatnonzero(read.round_codes < 0)
        asked = sorted({*firsts[codes >= 0].tolist(), *between.tolist()})
        alone: dict[int, int] = {}
        for row in asked:
            code = int(read.round_codes[row])
            day = self._event_day(read, row, code)
            number = days.setdefault(day, len(days))
            if code < 0:
                alone[row] = number
            else:
                of_round[code] = number
        of_day[:] = of_round[read.round_codes]
        of_day[list(alone)] = list(alone.values())
        return list(days), of_day

    def _event_day(self, read: BatchColumns, row: int, code: int) -> date:
        """As Intake finds it: a round belongs to the day in which it opened."""
        at = moment_of(int(read.at_us[row]))
        if code < 0:
            return self.day_of(at)
        opened = read.types[read.type_codes[row]] == "RoundOpened"
        known = self.rounds.day_of(read.rounds[code], opened=opened)
        if known is None:
            known = self.day_of(at)
            self.rounds.begin(read.rounds[code], known)
        return known

    def _parts(
        self,
        messages: MessageColumns,
        read: BatchColumns,
        arrived: Numbers | None,
        days: list[date],
        of_day: Numbers,
    ) -> dict[date, DayBatch]:
        if len(days) == 1:
            return {days[0]: self._part(days[0], messages, read, arrived)}
        out = {}
        for n, day in enumerate(days):
            rows = np.flatnonzero(of_day == n)
            some = messages.some(rows.tolist())
            # read again, so that a day's columns hold its own words only, as if it came alone
            own = read_batch(some.value, some.key, self.bounds)
            out[day] = self._part(day, some, own, None if arrived is None else arrived[rows])
        return out

    def _part(
        self, day: date, messages: MessageColumns, read: BatchColumns, arrived: Numbers | None
    ) -> DayBatch:
        times: Iterable[Any] = repeat(None) if arrived is None else arrived.tolist()
        fields = zip(repeat(self.source), *messages[:4], times, repeat(False), strict=False)
        # by tuple's own hand: a call for each would cost three times that
        stored: Any = map(tuple.__new__, repeat(StoredMessage), fields)
        return DayBatch(list(stored), self._table(day, messages, read, arrived))

    def _table(
        self, day: date, messages: MessageColumns, read: BatchColumns, arrived: Numbers | None
    ) -> pa.Table:
        rows = len(messages.value)
        sha256 = hashlib.sha256
        hashes = b"".join([sha256(value[HEADER_SIZE:]).digest() for value in messages.value])
        columns = read.columns | {
            "day": fixed_array(pa.date32(), np.full(rows, (day - _EPOCH_DAY).days)),
            "hash": pa.Array.from_buffers(pa.binary(32), rows, [None, pa.py_buffer(hashes)]),
            "source": word_array(self.source, rows),
            "partition": fixed_array(pa.int32(), np.array(messages.partition)),
            "offset": fixed_array(pa.int64(), np.array(messages.offset)),
            "wrong_clock": fixed_array(pa.bool_(), np.zeros(rows, np.bool_)),
        }
        if arrived is not None:
            columns["arrived_at"] = fixed_array(ARROW_SCHEMA.field("arrived_at").type, arrived)
        arrays = [
            columns[f.name] if f.name in columns else pa.nulls(rows, type=f.type)
            for f in ARROW_SCHEMA
        ]
        return pa.Table.from_arrays(arrays, schema=ARROW_SCHEMA)
