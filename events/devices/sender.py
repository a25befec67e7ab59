"""A simulated table's gateway: it numbers, chains and encodes what the round wrote down.

It does what events/gateway.py does, from plain records instead of typed events, because a
casino-day has some twenty million of them; a test holds the two to the same bytes.
"""

from __future__ import annotations

import io
from typing import Any

from fastavro import schemaless_writer

from events.chain import Head
from events.codec import current_schema, hash_body
from events.trust.heads import SIGN_EVERY_US, sign_head
from events.trust.note import SignerKey

_SIGNED_AT_ONCE = frozenset({"RoundClosed", "TableClosed"})

_BY_DEVICE = {
    "console": "TableOpened TableClosed RoundOpened BetsClosed DecisionMade IrregularityNoted "
    "OptionTaken RulingMade BetSettled SettlementCorrected RoundVoided RoundClosed HandExamined",
    "shoe": "ShoeStarted ShoeEnded CardBurnt CardDealt CardDiscarded CardsMoved HandRevealed",
    "layout": "BetPlaced BetWithdrawn BetRefused",
    "jackpot": "JackpotRead ButtonPressed",
    "gateway": "HeadSigned",
}
DEVICE_OF = {kind: device for device, kinds in _BY_DEVICE.items() for kind in kinds.split()}


class Sender:
    """Numbers and chains the events of one table."""

    __slots__ = (
        "_out",
        "_schema",
        "_unsigned_us",
        "first_unsigned",
        "hash",
        "header",
        "key",
        "seq",
        "table",
    )

    def __init__(self, table: str, head: Head, key: SignerKey | None = None) -> None:
        self.table = table
        self.seq = head.seq
        self.hash = head.hash
        self.header = current_schema().header
        self._schema = current_schema().parsed
        self._out = io.BytesIO()
        self.key = key
        self._unsigned_us: int | None = None  # since when something is unsigned
        self.first_unsigned = head.seq + 1

    def branch(self, key: SignerKey | None) -> Sender:
        """Somebody who goes on from the same event in the same table's name."""
        return Sender(self.table, Head(self.seq, self.hash), key)

    def report(
        self, at_us: int, kind: str, fields: dict[str, Any], round_: str | None
    ) -> list[bytes]:
        """The messages for the next event: signatures that are due, and the event among them."""
        out = self.due(at_us)
        out.append(self.send(at_us, kind, fields, round_))
        return out + self.signed_after(at_us, kind)

    def due(self, at_us: int) -> list[bytes]:
        """The signature that the gateway made before this moment, because its minute was over."""
        since = self._unsigned_us
        if self.key is None or since is None or at_us < since + SIGN_EVERY_US:
            return []
        return [self.sign(since + SIGN_EVERY_US)]

    def signed_after(self, at_us: int, kind: str) -> list[bytes]:
        """The signature that follows a round or a table at once."""
        return [self.sign(at_us)] if self.key is not None and kind in _SIGNED_AT_ONCE else []

    def sign(self, at_us: int) -> bytes:
        """The gateway's signature over the chain so far."""
        if self.key is None:
            raise TypeError(f"{self.table}: a gateway without a key can't sign")
        signature = sign_head(self.key, self.table, self.seq + 1, self.hash)
        return self.send(at_us, "HeadSigned", {"key": self.key.name, "signature": signature}, None)

    def send(self, at_us: int, kind: str, fields: dict[str, Any], round_: str | None) -> bytes:
        """The message for the table's next event."""
        body = self.encode(at_us, kind, fields, round_)
        self.hash = hash_body(body)
        return self.header + body

    def encode(self, at_us: int, kind: str, fields: dict[str, Any], round_: str | None) -> bytes:
        """The next event's body, numbered and linked to the one before."""
        self.seq += 1
        if kind == "HeadSigned":
            self._unsigned_us, self.first_unsigned = None, self.seq + 1
        elif self._unsigned_us is None:
            self._unsigned_us = at_us
        out = self._out
        out.seek(0)
        out.truncate()
        schemaless_writer(
            out,
            self._schema,
            {
                "table": self.table,
                "round": round_,
                "seq": self.seq,
                "at": at_us,
                "device": DEVICE_OF[kind],
                "prev": self.hash,
                "event": (kind, fields),
            },
        )
        return out.getvalue()
