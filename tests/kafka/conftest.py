"""A real broker for the session, on a free port with its own home, and a topic per test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from events.log.kafka.log import KafkaLog
from pipelines.broker import BrokerError
from pipelines.broker.jars import find_jars, find_java
from pipelines.broker.server import Broker, free_port

HERE = Path(__file__).parent
_numbers = count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs the broker and says so."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kafka)


@pytest.fixture(scope="session")
def java() -> None:
    """Java and the broker's jars."""
    try:
        find_java()
        find_jars()
    except BrokerError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def broker(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The session's broker. A test may stop and start it, and leaves it running."""
    folder = tmp_path_factory.mktemp("broker") / "kafka"
    broker = Broker(folder, f"127.0.0.1:{free_port()}")
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def topic() -> str:
    """A topic name of the test's own."""
    return f"table.rounds.{next(_numbers)}"


@pytest.fixture
def open_log(broker: Broker, topic: str) -> Iterator[Callable[..., KafkaLog]]:
    """Opens the test's topic, as often as it likes; every log is closed in the end."""
    opened: list[KafkaLog] = []

    def open_one(notice: Callable[[str], None] | None = None) -> KafkaLog:
        opened.append(KafkaLog(broker.address, topic, f"{topic}.dead", notice))
        return opened[-1]

    yield open_one
    for log in opened:
        log.close()


@pytest.fixture
def log(open_log: Callable[..., KafkaLog]) -> KafkaLog:
    """The test's topic, opened."""
    return open_log()
