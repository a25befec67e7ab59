"""A table's gateway: it numbers and chains what the devices of one table report.

It is the only producer for its table. Where a log already has events of the table, the gateway
goes on from the last of them, so a restart leaves no seam in the chain.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime

from events.chain import Head
from events.codec import body_of, decode_record, encode, hash_body
from events.errors import DecodeError
from events.log.base import Message, Outgoing
from events.model import Envelope, Event

_LOOK_BACK = 8


class Gateway:
    """Numbers and chains the events of one table."""

    def __init__(self, table: str, head: Head | None = None) -> None:
        self.table = table
        self.head = head or Head()
        self._key = table.encode()

    def send(
        self, event: Event, *, at: datetime, device: str, round_: str | None = None
    ) -> Outgoing:
        """The message for the table's next event."""
        seq = self.head.seq + 1
        envelope = Envelope(event, round_, self.table, seq, at, device, self.head.hash)
        value = encode(envelope)
        self.head = Head(seq, hash_body(body_of(value)))
        return Outgoing(self._key, value)


def heads_of(messages: Iterable[Message]) -> dict[str, Head]:
    """The last event of every table in some messages.

    Only a table's last few messages are decoded: one is enough, unless somebody sent rubbish
    under the table's name or events came out of order.
    """
    recent: dict[bytes, deque[bytes]] = {}
    for message in messages:
        if message.damage is None and message.key is not None:
            recent.setdefault(message.key, deque(maxlen=_LOOK_BACK)).append(message.value)
    heads: dict[str, Head] = {}
    for values in recent.values():
        for value in values:
            try:
                record = decode_record(value)
            except DecodeError:
                continue
            table, seq = record["table"], record["seq"]
            if seq > heads.get(table, Head()).seq:
                heads[table] = Head(seq, hash_body(body_of(value)))
    return heads
