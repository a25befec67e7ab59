"""A table's gateway: it numbers, chains and signs what the devices of one table report.

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
from events.model import Envelope, Event, HeadSigned, RoundClosed, TableClosed
from events.trust.heads import SIGN_EVERY, sign_head
from events.trust.note import SignerKey

_LOOK_BACK = 8
SIGNED_AT_ONCE = (RoundClosed, TableClosed)
"""After these the gateway signs without waiting for the minute to be over."""


class Gateway:
    """Numbers and chains the events of one table, and signs them where it has a key."""

    def __init__(self, table: str, head: Head | None = None, key: SignerKey | None = None) -> None:
        self.table = table
        self.head = head or Head()
        self._topic_key = table.encode()
        self._signer = key
        # what it sent before it was started again may be unsigned: nobody knows since when
        self._unsigned_since: datetime | None = None

    def report(
        self, event: Event, *, at: datetime, device: str, round_: str | None = None
    ) -> list[Outgoing]:
        """The messages for what a device reports: the event, and signatures where they are due."""
        out = self.tick(at)
        out.append(self.send(event, at=at, device=device, round_=round_))
        if isinstance(event, SIGNED_AT_ONCE):
            out += self._sign(at)
        return out

    def tick(self, now: datetime) -> list[Outgoing]:
        """Called by the clock, between events too: the signature, once one is due."""
        since = self._unsigned_since
        if since is None or now < since + SIGN_EVERY:
            return []
        return self._sign(since + SIGN_EVERY)

    def send(
        self, event: Event, *, at: datetime, device: str, round_: str | None = None
    ) -> Outgoing:
        """The message for the table's next event alone."""
        seq = self.head.seq + 1
        envelope = Envelope(event, round_, self.table, seq, at, device, self.head.hash)
        value = encode(envelope)
        self.head = Head(seq, hash_body(body_of(value)))
        if isinstance(event, HeadSigned):
            self._unsigned_since = None
        elif self._unsigned_since is None:
            self._unsigned_since = at
        return Outgoing(self._topic_key, value)

    def _sign(self, at: datetime) -> list[Outgoing]:
        key = self._signer
        if key is None:
            return []
        signature = sign_head(key, self.table, self.head.seq + 1, self.head.hash)
        return [self.send(HeadSigned(key.name, signature), at=at, device="gateway")]


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
