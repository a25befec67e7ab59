"""From the topic into the archive: all of it, once, and what is no event beside it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from events.archive.dead_letters import DeadLetters
from events.archive.errors import BusyError
from events.archive.ingest import Taken, ingest
from events.archive.writer import ArchiveWriter
from events.bounds import micros_of
from events.codec import encode
from events.gateway import Gateway
from events.log.base import Outgoing
from events.log.kafka import arrival
from events.log.kafka.log import KafkaLog
from events.model import BetPlaced, Envelope
from pipelines.broker.server import Broker
from tests.events.archive_kit import evidence_of
from tests.kafka import auditor
from tests.kafka.tables import START, traffic


def take(log: KafkaLog, root: Path) -> Taken:
    with ArchiveWriter(root) as archive:
        return ingest(log, archive, forward=DeadLetters(log))


def dead_letters(broker: Broker, topic: str, count: int) -> list[tuple[bytes, dict[str, bytes]]]:
    """Value and headers of the dead letters, read with a client of the test's own."""
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=broker.address,
        auto_offset_reset="earliest",
        max_partition_fetch_bytes=8_000_000,
    )
    letters = [next(consumer) for _ in range(count)]
    consumer.close()
    return [(letter.value, dict(letter.headers)) for letter in letters]


def poison() -> dict[str, Outgoing]:
    """One of each kind, by the reason that it must be given."""
    key = b"RWS-PP-99"
    good = Gateway("RWS-PP-99").send(
        BetPlaced(1, 1, "P1", "initial", 2500, True), at=START, device="console", round_="R"
    )
    broken = Envelope(
        BetPlaced(1, 1, "P1", "initial", 0, True),
        "R",
        "RWS-PP-99",
        1,
        START + timedelta(seconds=1),
        "console",
        bytes(32),
    )
    return {
        "empty message": Outgoing(key, b""),
        "not an Avro single-object message": Outgoing(key, b"hello, I am no event"),
        "unknown schema fingerprint": Outgoing(key, b"\xc3\x01" + bytes(8) + good.value[10:]),
        "truncated": Outgoing(key, good.value[:-3]),
        "amount": Outgoing(key, encode(broken)),
        "wrong key": Outgoing(b"RWS-PP-01", good.value),
        "found 0102": Outgoing(key, b"\x01\x02" + os.urandom(5_000_000)),
    }


def test_everything_arrives_unchanged_and_once(log: KafkaLog, tmp_path: Path) -> None:
    sent = traffic(1000)
    log.append(sent[:600])
    first = take(log, tmp_path)
    log.append(sent[600:])
    second = take(log, tmp_path)
    assert (first.events, second.events) == (600, 400)
    assert take(log, tmp_path).messages == 0
    kept = auditor.evidence(tmp_path)
    assert sorted((k.key, k.value) for k in kept) == sorted((m.key, m.value) for m in sent)
    assert auditor.quarantine(tmp_path) == []
    assert auditor.strange(tmp_path) == []


def test_a_message_arrives_when_the_broker_appends_it(log: KafkaLog, tmp_path: Path) -> None:
    """Whenever it is taken in. A simulated day says itself when it arrives, to a local broker."""
    own = micros_of(START + timedelta(hours=1))
    simulated = [replace(m, arrived_us=own) for m in traffic(10)]
    log.append([*traffic(5), *simulated])
    earliest, latest = (micros_of(datetime.now(UTC) + timedelta(hours=h)) for h in (-1, 1))
    with ArchiveWriter(tmp_path, now=lambda: START + timedelta(days=9)) as archive:
        ingest(log, archive)
    arrivals = [m.arrived or 0 for m in evidence_of(tmp_path)]
    assert sorted(a == own for a in arrivals) == [False] * 5 + [True] * 10
    assert all(a == own or earliest < a < latest for a in arrivals)


def test_only_a_broker_of_this_machine_is_told_of_simulated_days() -> None:
    assert arrival.is_local("127.0.0.1:9092,localhost:9093,[::1]:9094")
    assert not arrival.is_local("127.0.0.1:9092,broker.example:9092")
    record = SimpleNamespace(
        headers=[(arrival.SIMULATED, b"12")], timestamp=7, timestamp_type=1, value=b""
    )
    assert (arrival.of(record, simulated=True), arrival.of(record, simulated=False)) == (12, 7000)
    record.timestamp_type = 0  # the producer's own clock
    assert arrival.of(record, simulated=False) is None


def test_poison_goes_to_quarantine_and_to_the_dead_letters_and_the_rest_arrives(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    good, bad = traffic(80), poison()
    mixed = list(good)
    for number, letter in enumerate(bad.values()):
        mixed.insert(number * 11, letter)
    log.append(mixed)

    taken = take(log, tmp_path)

    assert (taken.events, taken.quarantined) == (80, len(bad))
    assert sorted(k.value for k in auditor.evidence(tmp_path)) == sorted(m.value for m in good)
    kept = [k for k, _ in auditor.quarantine(tmp_path)]
    assert sorted((k.key, k.value) for k in kept) == sorted((m.key, m.value) for m in bad.values())
    letters = dead_letters(broker, log.dead_topic, len(bad))
    places = {(k.partition, k.offset): k.value for k in kept}
    for value, headers in letters:
        assert places[int(headers["partition"]), int(headers["offset"])] == value
        assert (headers["topic"], headers["log"]) == (log.topic.encode(), log.identity.encode())
        (reason,) = [why for why, letter in bad.items() if letter.value == value
                     and why in headers["reason"].decode()]  # fmt: skip
        bad.pop(reason)
    assert not bad


def test_messages_without_key_or_value_are_kept_too(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    producer = KafkaProducer(bootstrap_servers=broker.address)
    producer.send(log.topic, key=None, value=traffic(1)[0].value)
    producer.send(log.topic, key=b"RWS-PP-01", value=None)
    producer.close()
    take(log, tmp_path)
    assert sorted(kind for _, kind in auditor.quarantine(tmp_path)) == ["key", "undecodable"]


def test_dead_letters_are_not_lost_when_ingest_dies_before_they_are_sent(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    log.append([Outgoing(b"T", b"no event"), *traffic(5)])

    class PowerFailure(BaseException):
        pass

    def dies(found: object) -> None:
        raise PowerFailure

    with ArchiveWriter(tmp_path) as archive, pytest.raises(PowerFailure):
        ingest(log, archive, forward=dies)
    assert log.dead_letters() == 0

    assert take(log, tmp_path).messages == 0
    ((value, headers),) = dead_letters(broker, log.dead_topic, 1)
    assert value == b"no event"
    assert headers["offset"] == b"0"
    take(log, tmp_path)
    assert log.dead_letters() == 1


def test_a_second_ingest_is_refused(log: KafkaLog, tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path), pytest.raises(BusyError, match="is already taking a log"):
        take(log, tmp_path)


def test_a_topic_made_again_is_read_from_its_start_and_noted(
    broker: Broker, open_log: Callable[..., KafkaLog], tmp_path: Path
) -> None:
    log, sent = open_log(), traffic(50)
    log.append(sent[:30])
    take(log, tmp_path)
    with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
        admin.delete_topics([log.topic])
        while log.topic in admin.list_topics():
            time.sleep(0.1)
    again = open_log()
    again.append(sent[30:])
    taken = take(again, tmp_path)
    assert taken.events == 20
    assert [kind for kind, _ in auditor.strange(tmp_path)] == ["made_anew"]
    assert "it was made anew and is read from its beginning" in taken.notices[0]
    kept = auditor.evidence(tmp_path)
    assert sorted(k.value for k in kept) == sorted(m.value for m in sent)


def delete_before(broker: Broker, topic: str, places: dict[int, int]) -> None:
    with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
        admin.delete_records({TopicPartition(topic, p): offset for p, offset in places.items()})


def test_offsets_that_retention_deleted_unread_are_noted_and_the_rest_arrives(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    sent = traffic(60, tables=1)
    log.append(sent[:20])
    take(log, tmp_path)
    log.append(sent[20:])
    partition = next(p for p, end in log.end().items() if end)
    delete_before(broker, log.topic, {partition: 35})

    taken = take(log, tmp_path)

    assert taken.events == 25
    assert any("offsets 20 to 33 are gone" in notice for notice in taken.notices)
    ((kept, kind),) = auditor.quarantine(tmp_path)
    assert (kept.offset, kind) == (34, "damage")
    assert log.dead_letters() == 0
    assert [k.value for k in auditor.evidence(tmp_path)] == [
        m.value for m in (*sent[:20], *sent[35:])
    ]
    assert take(log, tmp_path).messages == 0


def test_retention_that_deletes_what_was_archived_is_nothing_to_note(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    sent = traffic(40, tables=1)
    log.append(sent[:20])
    take(log, tmp_path)
    delete_before(broker, log.topic, dict(log.end()))
    assert take(log, tmp_path).messages == 0
    log.append(sent[20:])
    assert take(log, tmp_path).events == 20
    assert auditor.quarantine(tmp_path) == []
    assert auditor.strange(tmp_path) == []


def test_marks_of_transactions_are_nothing_to_note(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    producer = KafkaProducer(bootstrap_servers=broker.address, transactional_id=log.topic)
    producer.init_transactions()
    sent = traffic(30)
    for first in range(0, 30, 10):
        producer.begin_transaction()
        for message in sent[first : first + 10]:
            producer.send(log.topic, key=message.key, value=message.value)
        producer.commit_transaction()
        assert take(log, tmp_path).events == 10
    producer.close()
    assert auditor.strange(tmp_path) == []
