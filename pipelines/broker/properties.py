"""The broker's server.properties: one node in KRaft mode, broker and controller in one process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# room for a poison message of several megabytes: it must arrive to be quarantined
MESSAGE_MAX_BYTES = 16 * 2**20


def server_properties(data: Path, host: str, port: int, controller_port: int) -> dict[str, str]:
    """Every setting that differs from Kafka's defaults or that we rely on."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{host}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{host}:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(data),
        # topics are made with explicit settings or not at all
        "auto.create.topics.enable": "false",
        "message.max.bytes": str(MESSAGE_MAX_BYTES),
        "replica.fetch.max.bytes": str(MESSAGE_MAX_BYTES),
        # one node: whatever Kafka keeps for itself has one replica too
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
    }


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    """Write the file as Java reads it: a backslash would escape what follows."""
    lines = [
        f"{name}={value.replace(chr(92), chr(92) * 2)}\n" for name, value in properties.items()
    ]
    path.write_text("".join(lines), "utf-8")
