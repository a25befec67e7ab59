"""The log on Kafka: the same three verbs as the file log, with positions kept by the archive.

The consumer belongs to no group and commits nothing: where to go on is written in the archive's
journal, in the same step as the bytes, and handed to read() and follow().
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kafka import KafkaConsumer, KafkaProducer
from kafka.errors import AuthorizationError, KafkaError

from events.log.base import Message, Outgoing
from events.log.kafka import arrival, config
from events.log.kafka.admin import Admin, ForbiddenError, KafkaLogError, Topic, no_broker, plain
from events.log.kafka.reader import KafkaReader, Notice, offsets
from events.settings import Settings
from events.settings.kafka import PLAINTEXT, KafkaSecurity

SEND_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that is no event: where it stood, what it held, and why it was put aside."""

    log: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    reason: str


def open_kafka_log(
    settings: Settings, notice: Notice | None = None, *, create: bool = True
) -> KafkaLog:
    """Connect within seconds or say why not. `notice` is told what happens on the way."""
    return KafkaLog(
        settings.kafka,
        settings.topic,
        settings.dead_topic,
        notice,
        security=settings.kafka_security,
        create=create,
    )


class KafkaLog:
    """One topic, opened once: a topic of the same name that is made later is another log.

    It is sparse: Kafka's own marks take offsets too, so a jump means nothing, and what retention
    deleted unread comes as a damaged message.
    """

    sparse = True

    def __init__(
        self,
        servers: str,
        topic: str,
        dead_topic: str,
        notice: Notice | None = None,
        *,
        security: KafkaSecurity = PLAINTEXT,
        create: bool = True,
    ) -> None:
        self.servers = servers
        self.topic = topic
        self.dead_topic = dead_topic
        self._tell = notice
        self._producer: Any = None
        self._consumer: Any = None
        self._security = security
        self._local = arrival.is_local(servers)
        self.admin = Admin(servers, security)
        try:
            found = self._find_topic(create)
        except KafkaLogError:
            self.admin.close()
            raise
        self.topic_id = found.id
        self.partitions = found.partitions

    @property
    def identity(self) -> str:
        return f"kafka:{self.admin.cluster_id}/{self.topic}/{self.topic_id}"

    def append(self, messages: Sequence[Outgoing]) -> None:
        """Send messages; returns when every in-sync replica has all of them."""
        self._send(self.topic, ((m.key, m.value, arrival.header(m.arrived_us)) for m in messages))

    def bury(self, letters: Sequence[DeadLetter]) -> None:
        """Send dead letters: key and value as they came, where and why in the headers."""
        self._send(self.dead_topic, ((d.key, d.value, _headers(d, self.topic)) for d in letters))

    def read(self, start: Mapping[int, int]) -> Iterator[Message]:
        """What is there now. A broker that stays away for a minute ends it with an error."""
        reader = KafkaReader(self, self._open_consumer(), self._places(start), self.end())
        return (message for message in reader.messages() if message is not None)

    def follow(self, start: Mapping[int, int]) -> Iterator[Message | None]:
        """Go on for ever. A broker that goes away is waited for, and `notice` is told."""
        return KafkaReader(self, self._open_consumer(), self._places(start)).messages()

    def end(self) -> Mapping[int, int]:
        """The offset after the last message that may be read, per partition."""
        return offsets(self._open_consumer(), "end_offsets", self.topic, self.partitions)

    def begin(self) -> Mapping[int, int]:
        """The first offset that retention has left, per partition."""
        return offsets(self._open_consumer(), "beginning_offsets", self.topic, self.partitions)

    def dead_letters(self) -> int:
        """How many dead letters the dead-letter topic holds now; 0 where there is none."""
        found = self.admin.topic(self.dead_topic)
        if found is None:
            return 0
        first, after = (
            offsets(self._open_consumer(), which, self.dead_topic, found.partitions)
            for which in ("beginning_offsets", "end_offsets")
        )
        return sum(after.values()) - sum(first.values())

    def close(self) -> None:
        if self._producer is not None:
            self._producer.close(timeout=10)
        if self._consumer is not None:
            self._consumer.close(autocommit=False)
        self.admin.close()

    def arrival_of(self, record: Any) -> int | None:
        """When a record arrived, in microseconds since 1970; None where Kafka does not know."""
        return arrival.of(record, simulated=self._local)

    def notice(self, sentence: str) -> None:
        if self._tell is not None:
            self._tell(sentence)

    # -- connections -------------------------------------------------------------------------

    def _find_topic(self, create: bool) -> Topic:
        if create:
            self.admin.ensure(config.topics(self.topic, self.dead_topic))
        found = self.admin.topic(self.topic)
        if found is None:
            raise KafkaLogError(
                f"topic {self.topic} is not at {self.servers} (or has no leader yet); evenhand "
                f"ingest --from kafka makes it where it is missing"
            )
        return found

    def _places(self, start: Mapping[int, int]) -> dict[int, int]:
        return {p: start.get(p, 0) for p in self.partitions}

    def _open_consumer(self) -> Any:
        if self._consumer is None:
            self._consumer = self._connect(KafkaConsumer, config.consumer())
        return self._consumer

    def _connect(self, client: Any, settings: Mapping[str, Any]) -> Any:
        try:
            return client(**config.connection(self.servers, self._security), **settings)
        except KafkaError as error:
            raise KafkaLogError(f"{no_broker(self.servers)} ({plain(error)})") from None

    def _send(self, topic: str, messages: Iterator[tuple[Any, bytes, Any]]) -> None:
        """Send a bounded number at a time, so that a slow broker is felt and not buffered."""
        while batch := list(islice(messages, SEND_BATCH)):
            failed = self._send_batch(topic, batch)
            if failed:
                # a producer that failed may be in a state that it never leaves
                self._producer.close(timeout=0)
                self._producer = None
                raise self._not_sent(topic, len(failed), failed[0])

    def _send_batch(self, topic: str, batch: list[tuple[Any, bytes, Any]]) -> list[Any]:
        """Send and wait; the errors of those that did not arrive."""
        if self._producer is None:
            self._producer = self._connect(KafkaProducer, config.producer())
        try:
            sent = [
                self._producer.send(topic, value=value, key=key, headers=headers)
                for key, value, headers in batch
            ]
            self._producer.flush()
        except KafkaError as error:
            return [error] * len(batch)
        return [future.exception for future in sent if not future.succeeded()]

    def _not_sent(self, topic: str, count: int, error: Any) -> KafkaLogError:
        if isinstance(error, AuthorizationError):
            return ForbiddenError(self.servers, topic, error)
        reason = plain(error) if isinstance(error, KafkaError) else "no answer"
        return KafkaLogError(
            f"{count} messages to {topic} at {self.servers} were not acknowledged within "
            f"{config.DELIVERY_TIMEOUT_MS // 1000} s ({reason}); they may or may not be in the "
            f"topic: see evenhand kafka status, and send again"
        )


def _headers(letter: DeadLetter, topic: str) -> list[tuple[str, bytes]]:
    facts = {
        "topic": topic,
        "partition": str(letter.partition),
        "offset": str(letter.offset),
        "reason": letter.reason,
        "log": letter.log,
    }
    return [(name, text.encode("utf-8")) for name, text in facts.items()]
