"""What the archive's tests share: rounds of a few tables, logs of them, and a clock that stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from events.archive.evidence import EvidenceFile, StoredMessage
from events.archive.ingest import Taken, ingest
from events.archive.journal import segments_of
from events.archive.reader import Archive
from events.archive.writer import ArchiveWriter
from events.gateway import Gateway
from events.log.base import Message, Outgoing
from events.log.files.log import FileLog
from events.model import (
    BetPlaced,
    BetsClosed,
    BetSettled,
    CardDealt,
    Event,
    Limit,
    RoundClosed,
    RoundOpened,
    TableOpened,
)

DAY = date(2026, 3, 10)
MORNING = datetime(2026, 3, 9, 22, 0, tzinfo=UTC)  # 06:00 in Singapore: the day begins
LONG_AFTER = datetime(2026, 3, 20, tzinfo=UTC)


def round_events() -> list[Event]:
    """A small round: one box, one bet, won."""
    limits = {"initial": Limit(500, 100_000)}
    return [
        RoundOpened("pontoon-plus-rws-v5", "SH-1", 8, 7, limits),
        BetPlaced(1, 1, "P1", "initial", 2500, True),
        BetsClosed(),
        CardDealt(1, 1, 1, "KS", True),
        CardDealt(2, 0, 0, "5H", True),
        CardDealt(3, 1, 1, "QD", True),
        BetSettled(1, 1, "P1", "initial", 2500, 2500, 2500, "final"),
        RoundClosed(),
    ]


def play(
    table: str, rounds: int, start: datetime = MORNING, gateway: Gateway | None = None
) -> list[Outgoing]:
    """A table opens and plays some rounds, an event every two seconds."""
    gateway = gateway or Gateway(table)
    at = start
    opened = TableOpened("pontoon-plus-rws-v5", "SGD")
    out = [gateway.send(opened, at=at, device="console")]
    first = gateway.head.seq
    for n in range(rounds):
        for event in round_events():
            at += timedelta(seconds=2)
            round_ = f"{table}-{first + n:06d}"
            out.append(gateway.send(event, at=at, device="console", round_=round_))
    return out


def mixed(*tables: Sequence[Outgoing]) -> list[Outgoing]:
    """The tables' messages in turn, as a log has them."""
    out = []
    for n in range(max(map(len, tables))):
        out += [table[n] for table in tables if n < len(table)]
    return out


def file_log(folder: Path, messages: Sequence[Outgoing]) -> FileLog:
    """A file log that has just these messages."""
    log = FileLog(folder / "log", write=True)
    if messages:
        log.append(messages)
    return log


@dataclass
class ListLog:
    """A log in memory, with any messages at any offsets."""

    messages: list[Message]
    identity: str = "file:made-for-a-test"
    sparse: bool = False
    asked: list[dict[int, int]] = field(default_factory=list)

    def append(self, messages: Sequence[Outgoing]) -> None:
        for m in messages:
            self.messages.append(Message(0, len(self.messages), m.key, m.value))

    def read(self, start: Mapping[int, int]) -> Iterator[Message]:
        self.asked.append(dict(start))
        return (m for m in self.messages if m.offset >= start.get(m.partition, 0))

    def follow(self, start: Mapping[int, int]) -> Iterator[Message | None]:
        yield from self.read(start)
        while True:
            yield None

    def end(self) -> Mapping[int, int]:
        ends: dict[int, int] = {}
        for m in self.messages:
            ends[m.partition] = max(ends.get(m.partition, 0), m.offset + 1)
        return ends

    def close(self) -> None:
        pass


def listed(outgoing: Sequence[Outgoing], partition: int = 0) -> list[Message]:
    return [Message(partition, n, m.key, m.value) for n, m in enumerate(outgoing)]


def take(log: FileLog | ListLog, root: Path, now: datetime = LONG_AFTER, batch: int = 50) -> Taken:
    """One ingest run, as the command does it."""
    with ArchiveWriter(root, now=lambda: now) as archive:
        return ingest(log, archive, batch_messages=batch)


def evidence_of(root: Path, day: date | None = None) -> list[StoredMessage]:
    """Every message of the evidence, as far as the journal counts it."""
    with Archive(root) as archive:
        found = []
        for one in [day] if day else archive.days():
            for row in segments_of(archive.db, "day = ?", one.isoformat()):
                with EvidenceFile(archive.layout.file(one, row.name)) as file:
                    found += [m for b in file.blocks(0, row.length) for m in b.messages]
        return found
