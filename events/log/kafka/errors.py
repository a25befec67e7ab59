"""What goes wrong with Kafka, as sentences."""

from __future__ import annotations

from events.log.base import LogError


class KafkaLogError(LogError):
    """Kafka does not answer, refuses, or is not what the archive knows. The text says which."""
