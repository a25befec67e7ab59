"""Taking a log into the archive: from where the journal stands, batch by batch, exactly once."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from events.archive.intake import Batch, Intake, Position, RewrittenError
from events.archive.quarantine import Quarantined
from events.archive.writer import ArchiveWriter
from events.log.base import Log, Message
from events.runtime.collector import collector_at_rest

BATCH_MESSAGES = 20_000
BATCH_BYTES = 32 << 20
BATCH_S = 1.0
"""While messages trickle in, a batch is committed after this long."""
COLLECT_EVERY = 100


@dataclass(slots=True)
class Taken:
    """What an ingest has taken so far."""

    messages: int = 0
    events: int = 0
    rounds: int = 0
    quarantined: int = 0
    days: set[date] = field(default_factory=set)
    completed: set[date] = field(default_factory=set)
    notices: list[str] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)

    def count(self, batch: Batch) -> None:
        self.events += batch.events
        self.quarantined += len(batch.bad)
        self.messages += batch.events + len(batch.bad)
        self.days |= batch.days.keys()
        self.rounds += sum(d.rounds_opened for d in batch.days.values())
        self.notices += [e.message for e in batch.source_events]
        self.positions |= {partition: p.next for partition, p in batch.next.items()}


Progress = Callable[[Taken], None]
Forward = Callable[[list[Quarantined]], None]
Completed = Callable[[date], None]


def source_of(log: Log) -> str:
    """How the archive names a log: by its identity, with the word file where it has no kind."""
    return log.identity if ":" in log.identity else f"file:{log.identity}"


def ingest(
    log: Log,
    archive: ArchiveWriter,
    *,
    follow: bool = False,
    history: bool = False,
    batch_messages: int = BATCH_MESSAGES,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _: None,
    forward: Forward | None = None,
    completed: Completed = lambda _: None,
) -> Taken:
    """Take what the log has and, with `follow`, what comes, until `stop` says so.

    `history`: it is a log of earlier years, whose times count as they are. `progress` is called
    after every commit. `forward` gets what was put into quarantine, each at least once, after it
    is safe in the archive: the dead-letter topic hangs on it. `completed` gets each gaming day
    that is over and tidied.
    """
    taken = Taken()
    source = source_of(log)
    anew = archive.begin(source)
    if anew is not None:
        taken.notices.append(anew.message)
    positions = archive.positions(source)
    taken.positions = {partition: p.next for partition, p in positions.items()}
    sparse = getattr(log, "sparse", False)  # Kafka's own marks take offsets too
    start = _start(positions, again=not sparse)
    messages = log.follow(start) if follow else log.read(start)
    run = _IngestRun(archive, taken, progress, forward, completed, sparse=sparse, history=history)
    run.forward_bad()
    with collector_at_rest():
        for part in _batches(messages, batch_messages):
            run.take(source, part)
            if follow and len(part) < batch_messages:
                run.complete(archive.rest())
            if stop():
                archive.flush()
                return taken
        archive.flush()
        run.complete(archive.complete_days(following=follow))
    return taken


class _IngestRun:
    """One ingest under way."""

    def __init__(
        self,
        archive: ArchiveWriter,
        taken: Taken,
        progress: Progress,
        forward: Forward | None,
        completed: Completed,
        *,
        sparse: bool,
        history: bool,
    ) -> None:
        self._archive, self._taken = archive, taken
        self._sparse, self._history = sparse, history
        self._progress, self._forward, self._completed = progress, forward, completed
        self._intake: Intake | None = None
        self._commits = 0

    def take(self, source: str, part: list[Message]) -> None:
        if not part:
            return
        if self._intake is None:
            self._intake = self._archive.intake(source, sparse=self._sparse, history=self._history)
        try:
            batch = self._intake.take(part)
        except RewrittenError as error:
            self._archive.commit(Batch(source, source_events=[error.event]))
            raise
        if not batch.next:
            return
        self._archive.commit(batch)
        self._taken.count(batch)
        self._progress(self._taken)
        if batch.bad:
            self.forward_bad()
        self._commits += 1
        if self._commits % COLLECT_EVERY == 0:
            gc.collect()

    def complete(self, days: list[date]) -> None:
        for day in days:
            self._taken.completed.add(day)
            self._completed(day)

    def forward_bad(self) -> None:
        """Outbox: what is not marked as forwarded is forwarded, at least once."""
        while self._forward is not None and (letters := self._archive.unforwarded()):
            self._forward([q for _, q in letters])
            self._archive.mark_forwarded([number for number, _ in letters])


def _start(positions: dict[int, Position], *, again: bool) -> dict[int, int]:
    """Where to read from: one message `again`, because it shows that the log is still the same.

    Kafka's log needs no such proof, and retention may have taken that message in good time.
    """
    return {
        partition: p.next - 1 if again and p.last_sha256 is not None else p.next
        for partition, p in positions.items()
    }


def _batches(messages: Iterable[Message | None], most: int) -> Iterator[list[Message]]:
    """Messages in batches; an empty one while the log is idle, so that the caller can look up."""
    batch: list[Message] = []
    size, deadline = 0, time.monotonic() + BATCH_S
    for message in messages:
        if message is not None:
            if not batch:
                size, deadline = 0, time.monotonic() + BATCH_S
            batch.append(message)
            size += len(message.value)
            if len(batch) >= most or size >= BATCH_BYTES:
                deadline = 0.0
        if batch and time.monotonic() < deadline:
            continue
        yield batch
        batch = []
    if batch:
        yield batch
