"""How we talk to Kafka: every setting that matters, explicit, in one place.

Nothing here is left to a client's defaults, because those have changed between versions, and each
of them decides whether an event can be lost, doubled or read too early.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.settings.kafka import KafkaSecurity

CLIENT = "evenhand"
CONNECT_TIMEOUT_MS = 10_000
REQUEST_TIMEOUT_MS = 10_000
DELIVERY_TIMEOUT_MS = 60_000
POLL_RECORDS = 5_000

# Poison of several megabytes must be able to arrive: what is refused at the door is never seen.
MESSAGE_MAX_BYTES = 8 * 2**20
RETENTION_MS = 7 * 24 * 3600 * 1000
DEAD_RETENTION_MS = 90 * 24 * 3600 * 1000
PARTITIONS = 6


def connection(servers: str, security: KafkaSecurity) -> dict[str, Any]:
    """What every client needs. Reconnecting starts quickly and never waits longer than 2 s."""
    return {
        "bootstrap_servers": [server.strip() for server in servers.split(",")],
        "client_id": CLIENT,
        "bootstrap_timeout_ms": CONNECT_TIMEOUT_MS,
        "request_timeout_ms": REQUEST_TIMEOUT_MS,
        "retry_backoff_ms": 100,
        "reconnect_backoff_ms": 50,
        "reconnect_backoff_max_ms": 2_000,
        **security.for_client(),
    }


def producer() -> dict[str, Any]:
    """Nothing counts as sent before every in-sync replica has it, and a retry never doubles it."""
    return {
        "acks": "all",
        "enable_idempotence": True,
        "retries": 2**31 - 1,  # what bounds the wait is delivery_timeout_ms
        "delivery_timeout_ms": DELIVERY_TIMEOUT_MS,
        "max_in_flight_requests_per_connection": 5,
        "max_block_ms": DELIVERY_TIMEOUT_MS,
        "max_request_size": MESSAGE_MAX_BYTES,
        "batch_size": 256 * 1024,
        "linger_ms": 5,
        "compression_type": None,
        "allow_auto_create_topics": False,
    }


def consumer() -> dict[str, Any]:
    """No group: which partitions and from where is the ingest journal's to say, not Kafka's."""
    return {
        "group_id": None,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "isolation_level": "read_committed",
        "check_crcs": True,
        "fetch_min_bytes": 1,
        "fetch_max_wait_ms": 500,
        "fetch_max_bytes": 32 * 2**20,
        "max_partition_fetch_bytes": MESSAGE_MAX_BYTES,
        "max_poll_records": POLL_RECORDS,
        "allow_auto_create_topics": False,
        "metadata_max_age_ms": 30_000,
    }


def topics(topic: str, dead_topic: str) -> Mapping[str, dict[str, Any]]:
    """How the two topics are made where they are missing: one replica, for one local broker.

    In production they exist already, with three replicas (docs/operations.md), and are left alone.
    """
    return {
        topic: _topic(PARTITIONS, RETENTION_MS),
        dead_topic: _topic(1, DEAD_RETENTION_MS),
    }


def _topic(partitions: int, retention_ms: int) -> dict[str, Any]:
    return {
        "num_partitions": partitions,
        "replication_factor": 1,
        "configs": {
            "cleanup.policy": "delete",
            "retention.ms": str(retention_ms),
            "retention.bytes": "-1",
            "max.message.bytes": str(MESSAGE_MAX_BYTES),
            "min.insync.replicas": "1",
            # the event's own time is in its bytes; the broker's says when it arrived
            "message.timestamp.type": "LogAppendTime",
            "compression.type": "producer",
            "unclean.leader.election.enable": "false",
        },
    }
