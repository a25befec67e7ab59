"""What the log has to know of the cluster: does it answer, which topic is this, make it if missing.

A topic that was deleted and made again has the same name and the same offsets with other messages
under them. Only its id tells the two apart, so the id is part of a log's identity.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka import KafkaAdminClient
from kafka.errors import AuthorizationError, KafkaError, TopicAlreadyExistsError, for_code

from events.log.kafka import config
from events.log.kafka.errors import KafkaLogError
from events.log.kafka.trust import is_login, refuse_untrusted, wrong_login
from events.settings.kafka import PLAINTEXT, KafkaSecurity

__all__ = ["Admin", "ForbiddenError", "KafkaLogError", "Topic", "answers", "no_broker", "plain"]


class ForbiddenError(KafkaLogError):
    """The broker knows us and says no."""

    def __init__(self, servers: str, topic: str, error: KafkaError) -> None:
        super().__init__(
            f"the Kafka broker at {servers} refuses this user ({plain(error)}): expected an ACL "
            f"that allows it on topic {topic}; docs/operations.md lists who needs which"
        )


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as the cluster describes it now."""

    id: str
    partitions: tuple[int, ...]


class Admin:
    """A connection for questions about the cluster. Raises KafkaLogError with a sentence."""

    def __init__(self, servers: str, security: KafkaSecurity) -> None:
        self.servers = servers
        _refuse_where_nobody_listens(servers)
        refuse_untrusted(servers, security)
        try:
            self._client = KafkaAdminClient(**config.connection(servers, security))
            self.cluster_id = str(self._client.describe_cluster()["cluster_id"])
        except KafkaError as error:
            if is_login(servers, security):
                raise KafkaLogError(wrong_login(servers, security)) from None
            raise KafkaLogError(f"{no_broker(servers)} ({plain(error)})") from None

    def topic(self, name: str) -> Topic | None:
        """The topic, or None where the cluster has none of that name (or no leader for it yet)."""
        try:
            described = self._client.describe_topics([name])[0]
        except KafkaError as error:
            raise KafkaLogError(
                f"the Kafka broker at {self.servers} does not answer ({plain(error)})"
            ) from None
        error_type = for_code(described["error_code"])
        if issubclass(error_type, AuthorizationError):
            raise ForbiddenError(self.servers, name, error_type())
        if described["error_code"] != 0 or not described["partitions"]:
            return None
        partitions = tuple(sorted(p["partition_index"] for p in described["partitions"]))
        return Topic(str(described["topic_id"]), partitions)

    def ensure(self, topics: Mapping[str, dict[str, Any]]) -> None:
        """Make the topics that are missing; those that exist are left as they are."""
        missing = {name: how for name, how in topics.items() if self._is_missing(name)}
        if not missing:
            return
        try:
            self._client.create_topics(missing, wait_for_metadata=True)
        except TopicAlreadyExistsError:
            self._client.wait_for_topics(list(missing))  # another process was quicker
        except KafkaError as error:
            raise KafkaLogError(
                f"topic {', '.join(missing)} is missing at {self.servers} and could not be made "
                f"({plain(error)}); create it as docs/operations.md describes"
            ) from None

    def _is_missing(self, name: str) -> bool:
        try:
            return self.topic(name) is None
        except ForbiddenError:
            return False  # who may not even look at it (a gateway, at dead letters) makes none

    def close(self) -> None:
        self._client.close()


def answers(server: str, timeout_s: float) -> bool:
    """Whether a Kafka broker answers there now, in plain text as the local one does."""
    if not _listens(server, timeout_s):
        return False
    try:
        settings = config.connection(server, PLAINTEXT)
        KafkaAdminClient(**settings | {"bootstrap_timeout_ms": int(timeout_s * 1000)}).close()
    except KafkaError:
        return False
    return True


def no_broker(servers: str) -> str:
    """The sentence for the commonest failure of all."""
    return (
        f"no Kafka broker answers at {servers}; start one with evenhand kafka start, "
        f"or set EVENHAND_KAFKA to where yours is"
    )


def plain(error: KafkaError) -> str:
    """A client's error as words: its own text, or the name of its kind."""
    text = str(error.args[0]) if error.args else ""
    return text or type(error).__name__


def _refuse_where_nobody_listens(servers: str) -> None:
    # asked first, because the client would go on trying until its time is up
    if not any(_listens(server.strip(), timeout_s=5.0) for server in servers.split(",")):
        raise KafkaLogError(no_broker(servers))


def _listens(server: str, timeout_s: float) -> bool:
    host, _, port = server.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=timeout_s).close()
    except OSError:
        return False
    return True
