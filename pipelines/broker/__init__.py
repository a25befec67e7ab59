"""A real Apache Kafka on this machine, without Docker: for trying things, for tests, for the demo.

`jars` fetches the broker's jars once, `properties` writes down how it is set up, `server` starts
and stops it. In production the broker is a cluster of its own (docs/operations.md).
"""

from __future__ import annotations

from events.errors import EvenhandError


class BrokerError(EvenhandError):
    """The local broker can't be started, stopped or found. The text says what to do."""
