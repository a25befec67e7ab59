"""The three verbs on the real broker."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import ConfigResource, ConfigResourceType

from events.log.base import Outgoing
from events.log.kafka.log import DeadLetter, KafkaLog
from pipelines.broker.server import Broker
from tests.kafka.tables import traffic


def test_what_is_appended_is_read_unchanged_and_in_order_per_table(log: KafkaLog) -> None:
    sent = traffic(400)
    log.append(sent)
    got = list(log.read({}))
    assert len(got) == 400
    for key in {m.key for m in sent}:
        assert [m.value for m in got if m.key == key] == [m.value for m in sent if m.key == key]
        assert len({m.partition for m in got if m.key == key}) == 1


def test_read_goes_on_from_a_position(log: KafkaLog) -> None:
    log.append(traffic(100))
    middle = log.end()
    more = traffic(40)
    log.append(more)
    assert sorted(m.value for m in log.read(middle)) == sorted(m.value for m in more)
    assert list(log.read(log.end())) == []


def test_follow_goes_on_as_messages_arrive(
    log: KafkaLog, open_log: Callable[..., KafkaLog]
) -> None:
    following = log.follow({})
    writer = open_log()
    for _ in range(3):
        writer.append([Outgoing(b"T", b"x")])
        assert next(m for m in following if m is not None).value == b"x"
    assert next(following) is None


def test_messages_that_are_no_events_come_through_as_they_are(log: KafkaLog) -> None:
    noise = os.urandom(5_000_000)
    log.append([Outgoing(b"T", value) for value in (b"", b"not avro", noise)])
    assert [m.value for m in log.read({})] == [b"", b"not avro", noise]


def test_dead_letters_keep_key_and_value_and_say_where_and_why(
    broker: Broker, log: KafkaLog
) -> None:
    noise = os.urandom(5_000_000)
    log.bury([DeadLetter(log.identity, 3, 17, b"T", noise, "not an Avro single-object message")])
    consumer = KafkaConsumer(
        log.dead_topic,
        bootstrap_servers=broker.address,
        auto_offset_reset="earliest",
        max_partition_fetch_bytes=8_000_000,
    )
    letter = next(consumer)
    consumer.close()
    assert (letter.key, letter.value) == (b"T", noise)
    assert dict(letter.headers) == {
        "topic": log.topic.encode(),
        "partition": b"3",
        "offset": b"17",
        "reason": b"not an Avro single-object message",
        "log": log.identity.encode(),
    }
    assert log.dead_letters() == 1


def test_the_topics_are_made_with_explicit_settings(broker: Broker, log: KafkaLog) -> None:
    with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
        described = admin.describe_topics([log.topic])[0]
        resource = ConfigResource(ConfigResourceType.TOPIC, log.topic)
        found = admin.describe_configs([resource])["topic"][log.topic]
    assert len(described["partitions"]) == 6
    expected = {
        "cleanup.policy": "delete",
        "retention.ms": str(7 * 24 * 3600 * 1000),
        "max.message.bytes": str(8 * 2**20),
        "message.timestamp.type": "LogAppendTime",
    }
    assert {name: found[name]["value"] for name in expected} == expected


def test_a_partition_that_is_added_is_followed_too(
    broker: Broker, log: KafkaLog, open_log: Callable[..., KafkaLog]
) -> None:
    log.append(traffic(10))
    following = log.follow({})
    before = list(islice((m for m in following if m is not None), 10))
    assert len(before) == 10
    admin = KafkaAdminClient(bootstrap_servers=broker.address)
    admin.create_partitions({log.topic: 12})
    admin.close()
    open_log().append([Outgoing(f"T{n}".encode(), str(n).encode()) for n in range(60)])
    arrived = islice((m for m in following if m is not None), 60)
    assert max(m.partition for m in arrived) >= 6


def test_marks_of_transactions_are_no_loss(broker: Broker, log: KafkaLog) -> None:
    producer = KafkaProducer(bootstrap_servers=broker.address, transactional_id=log.topic)
    producer.init_transactions()
    for number, end in enumerate(("commit", "abort", "commit")):
        producer.begin_transaction()
        producer.send(log.topic, value=str(number).encode(), partition=2)
        producer.flush()
        getattr(producer, f"{end}_transaction")()
    producer.close()
    got = list(log.read({}))
    assert [(m.value, m.damage) for m in got] == [(b"0", None), (b"2", None)]
    assert list(log.read({2: got[-1].offset + 1})) == []


def test_reading_leaves_no_trace_in_kafka(broker: Broker, log: KafkaLog) -> None:
    log.append(traffic(8))
    assert len(list(log.read({}))) == len(list(log.read({}))) == 8
    with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
        assert admin.list_groups() == []
