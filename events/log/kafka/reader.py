"""One pass over a topic, from where the archive stands, with nothing skipped quietly.

The client library would go on after three things that matter to an audit: messages that retention
deleted before they were read (it jumps ahead), a topic that was cut back (it starts over), and a
topic that was deleted and made again under the same name (it reads the new one at the old place).
Each is noticed here: the first becomes a message that stands for the damage, the other two end the
pass with an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from kafka import TopicPartition
from kafka.errors import AuthorizationError, KafkaError

from events.log.base import Message
from events.log.kafka.admin import Admin, ForbiddenError, KafkaLogError, plain

IDLE_MS = 500
CHECK_EVERY_S = 2.0
OFFSETS_TIMEOUT_MS = 10_000
SETTLE_S = 5.0
READ_WAIT_S = 60.0

Notice = Callable[[str], None]


class Source(Protocol):
    """What the reader needs to know of the log it reads for."""

    servers: str
    topic: str
    topic_id: str
    admin: Admin

    def notice(self, sentence: str) -> None: ...

    def arrival_of(self, record: Any) -> int | None: ...


class KafkaReader:
    """Reads until the ends it is given, or for ever where it is given none."""

    def __init__(
        self,
        source: Source,
        consumer: Any,
        start: Mapping[int, int],
        until: Mapping[int, int] | None = None,
    ) -> None:
        self._source = source
        self._consumer = consumer
        self._until = until
        self._position = dict(start)
        self._added: list[int] = []
        self._trouble: str | None = None
        self._checked_at = self._moved_at = time.monotonic()

    def messages(self) -> Iterator[Message | None]:
        """The messages, and None now and then while there are none."""
        yield from self._check_start()
        self._assign()
        while not self._done():
            self._grow()
            batches = self._poll()
            while not self._trusted(batches):
                yield None
                self._give_up_in_time()
                time.sleep(IDLE_MS / 1000)
            for partition, records in batches:
                yield from self.in_order(partition, records)
            if batches:
                self._moved_at = time.monotonic()
            else:
                yield None
                yield from self._catch_up()
                self._give_up_in_time()

    def _done(self) -> bool:
        if self._until is None:
            return False
        return all(self._position[p] >= end for p, end in self._until.items())

    def _partition(self, number: int) -> TopicPartition:
        return TopicPartition(self._source.topic, number)

    def _assign(self) -> None:
        self._consumer.assign([self._partition(p) for p in self._position])
        for partition, offset in self._position.items():
            self._consumer.seek(self._partition(partition), offset)

    def _grow(self) -> None:
        """Take up partitions that were added, between two polls: seeking forgets what is read."""
        if self._added:
            self._position.update(dict.fromkeys(self._added, 0))
            self._added = []
            self._assign()

    def _poll(self) -> list[tuple[int, Sequence[Any]]]:
        try:
            found = self._consumer.poll(timeout_ms=IDLE_MS)
        except AuthorizationError as error:
            raise ForbiddenError(self._source.servers, self._source.topic, error) from None
        except KafkaError as error:
            self._report(f"reading from {self._source.servers} failed ({plain(error)})")
            time.sleep(IDLE_MS / 1000)
            return []
        return [(place.partition, records) for place, records in found.items() if records]

    def _trusted(self, batches: Sequence[Any]) -> bool:
        """Whether what was just read comes from the topic that we opened.

        A fetch names the topic and not its id, so the id is asked for after the fetch: an id
        never comes back, and where it is still the same, the messages are that topic's.
        """
        if not batches and time.monotonic() - self._checked_at < CHECK_EVERY_S:
            return True
        try:
            topic = self._source.admin.topic(self._source.topic)
        except KafkaLogError as error:
            self._report(str(error))
            return False
        if topic is None:
            self._report(f"topic {self._source.topic} is not at {self._source.servers}")
            return False
        if topic.id != self._source.topic_id:
            raise KafkaLogError(
                f"topic {self._source.topic} at {self._source.servers} was deleted and made again "
                f"while it was read: expected id {self._source.topic_id}, found {topic.id}; "
                f"run evenhand ingest again to take in the new one from its beginning"
            )
        self._report(None)
        self._checked_at = time.monotonic()
        self._added = [p for p in topic.partitions if p not in self._position]
        return True

    def _report(self, trouble: str | None) -> None:
        """Say once that something is wrong, and once that it is over."""
        if trouble and not self._trouble:
            self._source.notice(f"{trouble}; waiting for it to come back")
        if self._trouble and not trouble:
            self._source.notice(f"the Kafka broker at {self._source.servers} answers again")
        self._trouble = trouble

    def _give_up_in_time(self) -> None:
        if self._until is not None and time.monotonic() - self._moved_at > READ_WAIT_S:
            behind = sum(max(0, end - self._position[p]) for p, end in self._until.items())
            raise KafkaLogError(
                f"the Kafka broker at {self._source.servers} sent nothing for {READ_WAIT_S:.0f} s "
                f"with {behind} messages of {self._source.topic} still to come; what arrived is "
                f"safe: run evenhand ingest again when the broker is well"
            )

    # -- places ------------------------------------------------------------------------------

    def _check_start(self) -> Iterator[Message]:
        """Compare where the archive stands with what the topic still has."""
        deadline = time.monotonic() + SETTLE_S
        while True:
            ends = self._offsets("end_offsets")
            ahead = [p for p, offset in self._position.items() if offset > ends[p]]
            if not ahead:
                break
            if time.monotonic() > deadline:  # a leader that just changed may be behind for a while
                raise self._cut_back(ahead[0], self._position[ahead[0]], ends[ahead[0]])
            time.sleep(IDLE_MS / 1000)
        begins = self._offsets("beginning_offsets")
        for partition, begin in begins.items():
            if self._position[partition] < begin:
                yield self._lost(partition, begin)
                self._position[partition] = begin

    def in_order(self, partition: int, records: Sequence[Any]) -> Iterator[Message]:
        """The records as messages, with what was lost between them at its place.

        Most jumps in the offsets are Kafka's own marks, which bring no message and are no loss.
        """
        expected = self._position[partition]
        for record in records:
            if record.offset != expected:
                yield from self._explain(partition, expected, record.offset)
            yield Message(
                partition,
                record.offset,
                record.key,
                record.value or b"",
                arrived_us=self._source.arrival_of(record),
            )
            expected = record.offset + 1
        self._position[partition] = expected

    def _catch_up(self) -> Iterator[Message]:
        """Follow the client past marks at the end of a partition, which bring no message."""
        for partition, expected in list(self._position.items()):
            try:
                found = self._consumer.position(self._partition(partition), timeout_ms=IDLE_MS)
            except KafkaError:
                return
            if found is not None and found != expected:
                yield from self._explain(partition, expected, found)
                self._position[partition] = found

    def _explain(self, partition: int, expected: int, found: int) -> Iterator[Message]:
        if found < expected:
            raise self._cut_back(partition, expected, found)
        begin = self._offsets("beginning_offsets")[partition]
        if begin > expected:
            yield self._lost(partition, min(begin, found))

    def _offsets(self, which: str) -> dict[int, int]:
        return offsets(self._consumer, which, self._source.topic, self._position)

    def _lost(self, partition: int, after: int) -> Message:
        """What stands for messages that are gone, at the last of their offsets: who has taken it
        goes on behind them, and who had them all before passes over it."""
        damage = (
            f"topic {self._source.topic} partition {partition}: Kafka's retention has deleted "
            f"everything before offset {after}; docs/operations.md says where else it may be"
        )
        return Message(partition, after - 1, None, b"", damage)

    def _cut_back(self, partition: int, expected: int, found: int) -> KafkaLogError:
        return KafkaLogError(
            f"topic {self._source.topic} partition {partition} was cut back: the archive has "
            f"taken everything before offset {expected}, the topic goes on at {found}; the archive "
            f"keeps what it has, and a topic restored from a copy needs another name (setting "
            f"topic)"
        )


def offsets(consumer: Any, which: str, topic: str, partitions: Iterable[int]) -> dict[int, int]:
    """The first or the next offset of partitions: `which` is the consumer's method for it."""
    places = [TopicPartition(topic, p) for p in partitions]
    try:
        found = getattr(consumer, which)(places, timeout_ms=OFFSETS_TIMEOUT_MS)
    except KafkaError as error:
        raise KafkaLogError(
            f"Kafka does not say where topic {topic} begins and ends within "
            f"{OFFSETS_TIMEOUT_MS // 1000} s ({plain(error)}); see evenhand kafka status"
        ) from None
    return {place.partition: offset for place, offset in sorted(found.items())}
