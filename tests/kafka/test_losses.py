"""What Kafka's client would pass over quietly: each is noticed and named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from events.log.base import Message, Outgoing
from events.log.kafka.admin import KafkaLogError
from events.log.kafka.log import KafkaLog
from events.log.kafka.reader import KafkaReader
from pipelines.broker.server import Broker


def some(first: int, count: int) -> list[Outgoing]:
    """Messages of one table, so that all lie in one partition."""
    return [Outgoing(b"T", str(number).encode()) for number in range(first, first + count)]


@pytest.fixture
def admin(broker: Broker) -> KafkaAdminClient:
    with KafkaAdminClient(bootstrap_servers=broker.address) as client:
        yield client


def partition_of(log: KafkaLog) -> int:
    return next(p for p, end in log.end().items() if end)


def delete(admin: KafkaAdminClient, topic: str) -> None:
    """Delete a topic and wait until the broker has forgotten it."""
    admin.delete_topics([topic])
    while topic in admin.list_topics():
        time.sleep(0.1)


def idle_until_it_ends(following: Iterator[Message | None]) -> None:
    for message in following:
        assert message is None


def test_offsets_that_retention_deleted_are_one_damaged_message(
    admin: KafkaAdminClient, log: KafkaLog
) -> None:
    log.append(some(0, 10))
    partition = partition_of(log)
    admin.delete_records({TopicPartition(log.topic, partition): 7})

    damaged, *rest = log.read({partition: 3})

    assert damaged.damage is not None
    assert "Kafka's retention has deleted everything before offset 7" in damaged.damage
    assert (damaged.partition, damaged.offset, damaged.value) == (partition, 6, b"")
    assert [m.value for m in rest] == [b"7", b"8", b"9"]


def test_a_loss_that_was_taken_is_not_told_again(admin: KafkaAdminClient, log: KafkaLog) -> None:
    log.append(some(0, 10))
    partition = partition_of(log)
    admin.delete_records({TopicPartition(log.topic, partition): 10})
    (damaged,) = log.read({})
    assert damaged.damage is not None
    assert list(log.read({partition: damaged.offset + 1})) == []


def test_retention_that_overtakes_a_slow_follow_is_noticed(
    admin: KafkaAdminClient, open_log: Callable[..., KafkaLog]
) -> None:
    log, writer = open_log(), open_log()
    writer.append(some(0, 5))
    partition = partition_of(writer)
    following = (m for m in log.follow({}) if m is not None)
    assert len(list(islice(following, 5))) == 5
    writer.append(some(5, 20))
    admin.delete_records({TopicPartition(log.topic, partition): 15})
    # a fetch may have been under way when the records went: it brings none, some or all of them
    got = list(islice(following, 5))
    while got[-1].value != b"24":
        got.append(next(following))
    seen = {int(m.value) for m in got if m.damage is None}
    missing = set(range(5, 25)) - seen
    told = [m.damage for m in got if m.damage is not None]
    assert bool(missing) == bool(told)
    assert set(range(15, 25)) <= seen


def test_a_loss_between_two_messages_is_told_between_them(
    admin: KafkaAdminClient, log: KafkaLog
) -> None:
    """Told before the earlier ones, it would make them look as if they had been taken."""
    log.append(some(0, 10))
    partition = partition_of(log)
    consumer = KafkaConsumer(bootstrap_servers=log.servers)
    consumer.assign([TopicPartition(log.topic, partition)])
    consumer.seek_to_beginning()
    (records,) = consumer.poll(timeout_ms=10_000).values()
    admin.delete_records({TopicPartition(log.topic, partition): 8})
    reader = KafkaReader(log, consumer, {partition: 0})

    got = list(reader.in_order(partition, [*records[:3], *records[8:]]))

    consumer.close()
    assert [m.offset for m in got] == [0, 1, 2, 7, 8, 9]
    assert [m.offset for m in got if m.damage] == [7]


def test_a_topic_made_again_has_another_identity(
    admin: KafkaAdminClient, open_log: Callable[..., KafkaLog]
) -> None:
    log = open_log()
    delete(admin, log.topic)
    assert open_log().identity != log.identity


def test_a_topic_made_again_under_a_follow_ends_it(
    admin: KafkaAdminClient, open_log: Callable[..., KafkaLog]
) -> None:
    log = open_log()
    log.append(some(0, 5))
    following = log.follow({})
    assert len(list(islice((m for m in following if m is not None), 5))) == 5
    delete(admin, log.topic)
    other = open_log()
    other.append(some(100, 50))
    with pytest.raises(KafkaLogError, match="was deleted and made again while it was read"):
        idle_until_it_ends(following)


def test_a_topic_cut_back_is_an_error_and_not_a_second_reading(log: KafkaLog) -> None:
    log.append(some(0, 5))
    partition = partition_of(log)
    with pytest.raises(
        KafkaLogError, match=rf"partition {partition} was cut back.*before offset 9"
    ):
        list(log.read({partition: 9}))
