"""Judging what arrives: each message is decoded once and becomes an event of a day, or is put
into quarantine with the reason. Nothing is dropped and nothing is written here.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from events.archive.at_once import FEWEST, AtOnce, DayBatch, MessageColumns, cut, joined
from events.archive.columns import records_to_table
from events.archive.errors import ArchiveError
from events.archive.evidence import StoredMessage
from events.archive.judge import judge, table_of_key, told_by
from events.archive.quarantine import Quarantined
from events.archive.rounds import RoundIndex
from events.bounds import Bounds, Times, micros_of
from events.codec import HEADER_SIZE
from events.days import GamingDay
from events.lockstep import Numbers, OddError, must_not
from events.log.base import Message

HALVINGS = 24
"""How often a batch is cut where nobody knows what is odd in it; the rest is judged one by one."""


class RewrittenError(ArchiveError):
    """A log that has other messages now where it had those that were archived."""

    def __init__(self, source: str, partition: int, text: str) -> None:
        super().__init__(text)
        self.event = SourceEvent(source, "rewritten", text, partition)


class Position(NamedTuple):
    """Where to go on in a partition, and the checksum of the last message before that."""

    next: int
    last_sha256: bytes | None


@dataclass(frozen=True, slots=True)
class SourceEvent:
    """Something strange about a log that an auditor must hear of."""

    source: str
    kind: str
    message: str
    partition: int | None = None
    first_offset: int | None = None
    last_offset: int | None = None
    day: date | None = None


@dataclass(slots=True)
class Batch:
    """What one commit of the journal holds. `next` is where each partition goes on."""

    source: str
    days: dict[date, DayBatch] = field(default_factory=dict)
    bad: list[Quarantined] = field(default_factory=list)
    source_events: list[SourceEvent] = field(default_factory=list)
    next: dict[int, Position] = field(default_factory=dict)
    released: list[Message] = field(default_factory=list)
    """What lay in quarantine and is an event of this batch now."""

    @property
    def events(self) -> int:
        return sum(len(d.messages) for d in self.days.values())


class DayFinder:
    """Which gaming day a moment belongs to, quickly: most moments lie in the day before's day."""

    def __init__(self, gaming_day: GamingDay) -> None:
        self._gaming_day = gaming_day
        self._spans: list[tuple[datetime, datetime, date]] = []

    def __call__(self, at: datetime) -> date:
        for start, end, day in self._spans:
            if start <= at < end:
                return day
        day = self._gaming_day.day_of(at)
        span = (self._gaming_day.start_of(day), self._gaming_day.end_of(day), day)
        self._spans = [span, *self._spans[:3]]
        return day


@dataclass(slots=True)
class _TakenSingly:
    """Events of one day, judged one by one: what they say, and the hashes of their bodies."""

    messages: list[StoredMessage] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    hashes: list[bytes] = field(default_factory=list)


class Intake:
    """Takes the messages of one log. `positions` is where the journal says to go on."""

    def __init__(
        self,
        source: str,
        positions: dict[int, Position],
        rounds: RoundIndex,
        db: sqlite3.Connection,
        day_of: Callable[[datetime], date],
        now: Callable[[], datetime],
        *,
        bounds: Bounds,
        sparse: bool = False,
        history: bool = False,
    ) -> None:
        self._source, self._bounds, self._history = source, bounds, history
        # a sparse log leaves out offsets that never were messages, and tells of lost ones itself
        self._sparse = sparse
        self._next = {partition: p.next for partition, p in positions.items()}
        self._last_sha256 = {n: p.last_sha256 for n, p in positions.items() if p.last_sha256}
        self._rounds, self._db, self._day_of, self._now = rounds, db, day_of, now
        self._first_seen_us: int | None = None  # when this batch is taken in, for the first time
        self._times: Times | None = None  # of the last message that said when it arrived
        self._last_day: dict[str, date] = {}
        self._latest: date | None = None
        # the damage last met in a partition, and whether it was put into quarantine
        self._damaged: dict[int, tuple[Message, bool]] = {}
        self._single: dict[date, _TakenSingly] = {}
        self._halvings = HALVINGS
        self._at_once = AtOnce(source, rounds, day_of, bounds, history)

    def take(self, messages: list[Message]) -> Batch:
        """The batch of these messages. What was taken before, and comes again, is left out."""
        self._first_seen_us = micros_of(self._now())
        self._halvings = HALVINGS
        return self._joined(list(self._parts(messages)))

    def _parts(self, messages: list[Message]) -> Iterator[Batch]:
        """The messages in stretches: where nothing is odd taken at once, the others one by one."""
        try:
            whole = self._take_whole(messages)
        except OddError as error:
            for start, stop, plain in self._stretches(len(messages), error.rows):
                some = messages[start:stop]
                if plain:
                    yield from self._parts(some)
                else:
                    yield self._take_each(some)
        else:
            yield whole

    def _stretches(self, count: int, odd: Numbers | None) -> Iterable[tuple[int, int, bool]]:
        """Where to cut: around the odd rows; in the middle where nobody knows which they are."""
        if odd is not None and len(odd):
            return cut(count, odd.tolist())
        if count < 2 * FEWEST or not self._halvings:
            return [(0, count, False)]
        self._halvings -= 1
        return [(0, count // 2, True), (count // 2, count, True)]

    def _joined(self, parts: list[Batch]) -> Batch:
        if len(parts) == 1:
            return parts[0]
        batch = Batch(self._source)
        days: dict[date, list[DayBatch]] = {}
        for part in parts:
            batch.bad += part.bad
            batch.source_events += part.source_events
            batch.next |= part.next
            for day, of_day in part.days.items():
                days.setdefault(day, []).append(of_day)
        batch.days = {day: joined(of_day) for day, of_day in days.items()}
        return batch

    def _take_whole(self, messages: list[Message]) -> Batch:
        """The batch where every message is new and sound; an OddError where one is not."""
        if len(messages) < FEWEST:
            raise OddError
        fields: Any = zip(*messages, strict=True)
        columns = MessageColumns(*fields)
        if columns.damage.count(None) < len(messages):
            must_not(np.array([damage is not None for damage in columns.damage]))
        last = dict(zip(columns.partition, messages, strict=True))
        if not self._all_due(columns, last):
            raise OddError
        whole = self._at_once.take(columns, self._first_seen_us or 0)
        for partition, message in last.items():
            self._next[partition] = message.offset + 1
            self._damaged.pop(partition, None)
        self._last_day |= whole.last_day
        self._latest = whole.latest
        return Batch(self._source, whole.days, next=_positions(last))

    def _all_due(self, columns: MessageColumns, partitions: Iterable[int]) -> bool:
        """Whether no message comes again, and none may be missing."""
        for partition in partitions:
            offsets: Sequence[int] = columns.offset
            if len(set(columns.partition)) > 1:
                both = zip(columns.partition, columns.offset, strict=True)
                offsets = [offset for p, offset in both if p == partition]
            due = self._next.get(partition, 0)
            if self._sparse:
                good = offsets[0] >= due and all(a < b for a, b in pairwise(offsets))
            else:
                good = list(offsets) == list(range(due, due + len(offsets)))
            if not good:
                return False
        return True

    def _take_each(self, messages: Iterable[Message]) -> Batch:
        """The same batch, its messages judged one by one."""
        batch = Batch(self._source)
        self._single = {}
        last: dict[int, Message] = {}
        for message in messages:
            partition, offset = message.partition, message.offset
            expected = self._next.get(partition, 0)
            if offset < expected:
                self._pass_over(message, expected)
                continue
            if offset > expected and (message.damage or not self._sparse):
                self._gap(partition, expected, offset - 1, batch)
            self._next[partition] = offset + 1
            last[partition] = message
            self._judge(message, batch)
        batch.next = _positions(last)
        self._make_columns(batch)
        return batch

    def take_again(self, messages: Iterable[Message]) -> Batch:
        """Judge what lies in quarantine once more; what is still no event stays there.

        It arrived when it arrived first; where nobody wrote that down, its own time counts.
        """
        batch = Batch(self._source)
        self._single, self._first_seen_us = {}, None
        for message in messages:
            held = len(batch.bad)
            self._judge(message, batch)
            if len(batch.bad) == held:
                batch.released.append(message)
        batch.bad.clear()
        self._make_columns(batch)
        return batch

    def _make_columns(self, batch: Batch) -> None:
        for day, taken in self._single.items():
            columns = records_to_table(day, taken.records, taken.hashes, taken.messages)
            batch.days[day] = DayBatch(taken.messages, columns)

    def _pass_over(self, message: Message, expected: int) -> None:
        """A message from before our place: taken already. The last of them must be the same."""
        partition = message.partition
        if message.damage is not None:
            self._damaged[partition] = (message, False)
        elif message.offset == expected - 1 and (known := self._last_sha256.pop(partition, None)):
            found = hashlib.sha256(message.value).digest()
            if found != known:
                raise RewrittenError(
                    self._source,
                    partition,
                    f"{self._source}, partition {partition}: message {message.offset} is not the "
                    f"one that was archived (expected sha256 {known.hex()[:16]}, found "
                    f"{found.hex()[:16]}): the log was rewritten; put the old one back, or begin "
                    f"a new log",
                )

    def _judge(self, message: Message, batch: Batch) -> None:
        if message.damage is not None:
            self._damaged[message.partition] = (message, True)
            batch.bad.append(self._bad(message, "damage", message.damage))
            return
        times = self._arrival(message)
        if self._damaged:
            self._damaged.pop(message.partition, None)
        record, refused = judge(message, self._bounds)
        if refused is not None:
            batch.bad.append(self._bad(message, refused.kind, refused.reason, refused.record))
            return
        at, wrong = _counts_at(record["at"], times)
        try:
            day = self._event_day(record, at)
        except (OverflowError, ValueError):
            reason = f"at: expected a time within the calendar, found {record['at'].isoformat()}"
            batch.bad.append(self._bad(message, "contract", reason))
            return
        arrived = None if times is None else times.arrived_us
        stored = StoredMessage(
            self._source, message.partition, message.offset, message.key, message.value, arrived,
            wrong,
        )  # fmt: skip
        self._keep(stored, record, day)

    def _arrival(self, message: Message) -> Times | None:
        """When a message arrived, and what clocks may have shown then; None: its own time counts.

        The log says it (Kafka, a simulated day), or it is the time of the first ingest.
        """
        if self._history:
            return None
        said = self._first_seen_us if message.arrived_us is None else message.arrived_us
        if said is None:
            return None
        if self._times is None or self._times.arrived_us != said:
            # a log that names a time out of this world knows nothing of it
            self._times = self._bounds.times(said)
            if self._times is None and self._first_seen_us is not None:
                self._times = self._bounds.times(self._first_seen_us)
        return self._times

    def _keep(self, stored: StoredMessage, record: dict[str, Any], day: date) -> None:
        self._last_day[record["table"]] = self._latest = day
        of_day = self._single.get(day)
        if of_day is None:
            of_day = self._single[day] = _TakenSingly()
        of_day.messages.append(stored)
        of_day.records.append(record)
        of_day.hashes.append(hashlib.sha256(stored.value[HEADER_SIZE:]).digest())

    def _event_day(self, record: dict[str, Any], at: datetime) -> date:
        """A round belongs to the day in which it opened, and so do all its events.

        `at`: when the event counts.
        """
        round_ = record["round"]
        if round_ is None:
            return self._day_of(at)
        known = self._rounds.day_of(round_, opened=record["event"][0] == "RoundOpened")
        if known is not None:
            return known
        day = self._day_of(at)
        self._rounds.begin(round_, day)
        return day

    def _gap(self, partition: int, first: int, last: int, batch: Batch) -> None:
        """Offsets that are passed over. A damaged part that began before ours is kept here."""
        damaged, kept = self._damaged.pop(partition, (None, True))
        many = f"offset {first} is" if first == last else f"offsets {first} to {last} are"
        where = f"{self._source}, partition {partition}"
        if damaged is None:
            kind = "gap"
            text = f"{where}: {many} gone from the log and never reached the archive"
        else:
            kind = "damage"
            text = f"{where}: {many} lost in a damaged part of the log: {damaged.damage}"
            if not kept:
                batch.bad.append(self._bad(damaged._replace(offset=first), "damage", text))
        batch.source_events.append(SourceEvent(self._source, kind, text, partition, first, last))

    def _bad(
        self, message: Message, kind: str, reason: str, record: dict[str, Any] | None = None
    ) -> Quarantined:
        table, round_, seq, at = told_by(record)
        times = self._arrival(message)
        if at is not None:
            at, _ = _counts_at(at, times)
        return Quarantined(
            source=self._source,
            partition=message.partition,
            offset=message.offset,
            key=message.key,
            raw=message.value,
            reason=reason,
            kind=kind,
            day=self._bad_day(message, table, round_, at),
            table=table or table_of_key(message.key),
            round=round_,
            seq=seq,
            arrived=None if times is None else times.arrived_us,
        )

    def _bad_day(
        self, message: Message, table: str | None, round_: str | None, at: datetime | None
    ) -> date:
        """The round's day, that of its own time, the table's last, anybody's last, or today."""
        day = self._rounds.day_of(round_, opened=False) if round_ else None
        if day is None and at is not None:
            day = self._day_of(at)
        if day is None:
            name = table or table_of_key(message.key)
            day = self._last_day.get(name or "") or (self._last_in_journal(name) if name else None)
        return day or self._latest or self._last_in_journal() or self._day_of(self._now())

    def _last_in_journal(self, table: str | None = None) -> date | None:
        where, values = (" WHERE table_id = ?", (table,)) if table else ("", ())
        row = self._db.execute("SELECT max(day) FROM day_tables" + where, values).fetchone()
        return date.fromisoformat(row[0]) if row[0] else None


def _positions(last: dict[int, Message]) -> dict[int, Position]:
    """Where each partition goes on after its last message."""
    out = {}
    for partition, message in last.items():
        # damaged bytes prove nothing about the message that once stood there
        digest = None if message.damage else hashlib.sha256(message.value).digest()
        out[partition] = Position(message.offset + 1, digest)
    return out


def _counts_at(at: datetime, times: Times | None) -> tuple[datetime, bool]:
    """When an event counts: at its own time, or at its arrival where its clock was wrong."""
    if times is None or times.first <= at <= times.last:
        return at, False
    return times.arrived, True
