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

    __slots__ = ("_out", "_schema", "hash", "header", "seq", "table")

    def __init__(self, table: str, head: Head) -> None:
        self.table = table
        self.seq = head.seq
        self.hash = head.hash
        self.header = current_schema().header
        self._schema = current_schema().parsed
        self._out = io.BytesIO()

    def send(self, at_us: int, kind: str, fields: dict[str, Any], round_: str | None) -> bytes:
        """The message for the table's next event."""
        body = self.encode(at_us, kind, fields, round_)
        self.hash = hash_body(body)
        return self.header + body

    def encode(self, at_us: int, kind: str, fields: dict[str, Any], round_: str | None) -> bytes:
        """The next event's body, numbered and linked to the one before."""
        self.seq += 1
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
