"""A broker that is missing, silent, or goes away and comes back."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable

import pytest

from events.log.base import Outgoing
from events.log.kafka import config as kafka_config
from events.log.kafka import reader as kafka_reader
from events.log.kafka.admin import KafkaLogError
from events.log.kafka.log import KafkaLog
from pipelines.broker.server import Broker, free_port


def test_a_missing_broker_is_named_with_what_to_do() -> None:
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(KafkaLogError, match=f"no Kafka broker answers at {address}; start one"):
        KafkaLog(address, "t", "t.dead")


def test_something_that_listens_and_says_nothing_is_not_waited_for_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(KafkaLogError, match=f"no Kafka broker answers at {address}"):
            KafkaLog(address, "t", "t.dead")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_follow_survives_a_restart_of_the_broker(
    broker: Broker, open_log: Callable[..., KafkaLog], how: signal.Signals
) -> None:
    said: list[str] = []
    log, writer = open_log(said.append), open_log()
    writer.append([Outgoing(b"T", b"before")])
    following = log.follow({})
    assert next(m for m in following if m is not None).value == b"before"

    os.kill(broker.pid() or 0, how)
    while not said:
        assert next(following) is None
    broker.start()
    writer.append([Outgoing(b"T", b"after")])

    after = next(m for m in following if m is not None)
    assert (after.value, after.offset) == (b"after", 1)
    assert len(said) == 2
    assert said[0].endswith("; waiting for it to come back")
    assert said[1] == f"the Kafka broker at {broker.address} answers again"


def test_a_read_gives_up_in_time_and_says_what_is_missing(
    broker: Broker, log: KafkaLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_reader, "READ_WAIT_S", 2.0)
    log.append([Outgoing(b"T", b"x")] * 3)
    reading = log.read({})
    broker.stop()
    try:
        with pytest.raises(KafkaLogError):
            list(reading)
    finally:
        broker.start()


def test_what_can_not_be_sent_is_said(
    broker: Broker, open_log: Callable[..., KafkaLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_config, "DELIVERY_TIMEOUT_MS", 11_000)
    log = open_log()
    log.append([Outgoing(b"T", b"x")])
    broker.stop()
    try:
        with pytest.raises(KafkaLogError, match=r"1 messages to .* were not acknowledged within"):
            log.append([Outgoing(b"T", b"y")])
    finally:
        broker.start()
