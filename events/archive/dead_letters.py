"""From the quarantine to the dead-letter topic: told at least once, and only after it is safe.

The journal marks what was told; an ingest that dies before the mark tells it again next time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from events.archive.quarantine import Quarantined
from events.log.kafka.admin import KafkaLogError
from events.log.kafka.log import DeadLetter, KafkaLog

KAFKA = "kafka:"
"""How the source of a message from Kafka begins; others have no dead-letter topic."""


class DeadLetters:
    """What ingest hands its quarantine to.

    While following, a broker that is away is waited for (there is nothing to take in meanwhile)
    until `give_up` says so; otherwise the first failure is the last.
    """

    def __init__(self, log: KafkaLog, give_up: Callable[[], bool] = lambda: True) -> None:
        self._log = log
        self._give_up = give_up

    def __call__(self, found: Sequence[Quarantined]) -> None:
        letters = [
            DeadLetter(q.source, q.partition, q.offset, q.key, q.raw, q.reason)
            for q in found
            if q.source.startswith(KAFKA) and q.kind != "damage"  # damage is no message
        ]
        while letters:
            try:
                return self._log.bury(letters)
            except KafkaLogError as error:
                if self._give_up():
                    raise
                self._log.notice(f"{error}; trying again")
        return None
