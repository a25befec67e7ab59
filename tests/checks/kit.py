"""A table's record made by hand: events numbered and chained as a gateway does it, and the columns
that the archive would hold of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa

from checks.around import NOTHING, Around
from checks.golden.script import Script
from checks.table_day import Rows, audit_table_day
from checks.tables import FINDINGS
from events import codec
from events.archive.columns import in_order, records_to_table
from events.archive.evidence import StoredMessage
from events.bounds import Bounds, micros_of
from events.gateway import Gateway
from events.jsonl import from_flat

DAY = date(2026, 11, 14)
START = datetime(2026, 11, 14, 2, tzinfo=UTC)
LIMITS = {"initial": {"min": 500, "max": 500_000}}
CARDS_OF_A_DECK = {  # 2.2.1 of each RWS text, 2.1 of the MBS text: Pontoon is played without tens
    "pontoon-plus-rws-v5": 48,
    "blackjack-rws-v5": 52,
    "pontoon-pandemonium-rws-v4": 48,
    "pontoon-mbs-v5": 48,
    "three-card-poker-rws-v3": 52,
}


class PlayedRecord:
    """One table's events in the order in which they happened, a second apart."""

    def __init__(self, table: str = "T-1", rulebook: str = "blackjack-rws-v5") -> None:
        self.table, self.rulebook = table, rulebook
        self.gateway = Gateway(table)
        self.sent: list[bytes] = []
        self.at = START
        self.draw = 0

    def add(self, kind: str, /, round_: str | None = None, **own: Any) -> int:
        """One more event; answers its number."""
        self.at += timedelta(seconds=1)
        flat = {"type": kind, "round": round_, **own}
        event = from_flat(flat).event
        sent = self.gateway.send(event, at=self.at, device="console", round_=round_)
        self.sent.append(sent.value)
        return len(self.sent)

    def shoe(self, name: str = "S1", decks: int = 6, *, shuffled: bool = True) -> int:
        self.draw = 0
        return self.add("ShoeStarted", shoe=name, decks=decks, shuffled=shuffled)

    def end_shoe(self, left: int, name: str = "S1") -> int:
        return self.add("ShoeEnded", shoe=name, cards_left=left)

    def open(self, name: str, shoe: str = "S1", decks: int = 6, **more: Any) -> int:
        """The opening of a round."""
        own = {"rulebook": self.rulebook, "shoe": shoe, "decks": decks, "boxes": 7}
        return self.add("RoundOpened", name, **own, limits=LIMITS, **more)

    def play(self, name: str, *lines: str) -> None:
        """Steps of a round in the words of golden rounds, from the shoe's next card on."""
        script = Script(name, draw=self.draw)
        for line in lines:
            script.run(line)
        self.draw = script.draw
        for flat in script.out:
            own = {k: v for k, v in flat.items() if k not in {"type", "round"}}
            self.add(flat["type"], name, **own)

    def round(self, name: str, *cards: str, end: bool = True) -> None:
        """A whole round: P1 has 10.00 on box 1, stands on 20 and beats the dealer's 19."""
        self.open(name)
        faces = cards or ("KS", "9H", "QS", "KD")
        one, up, two, hole = faces
        self.play(
            name,
            "bet 1 P1 initial 10.00",
            "close",
            f"deal 1:{one} 0:{up} 1:{two}",
            "stand 1 P1",
            f"deal 0:{hole}",
            "settle 1 P1 initial 10.00 10.00 10.00",
        )
        if end:
            self.add("RoundClosed", name)


def columns(sent: Sequence[bytes], arrived: datetime | None = None) -> pa.Table:
    """Messages, in the order in which they came, as the archive's columns."""
    records = [codec.decode_record(value) for value in sent]
    arrival = None if arrived is None else Bounds().times(micros_of(arrived))
    hashes = [codec.hash_body(codec.body_of(value)) for value in sent]
    stored = [StoredMessage("file:test", 0, n, None, value) for n, value in enumerate(sent)]
    if arrival is not None:
        stored = [
            m._replace(
                arrived=arrival.arrived_us,
                wrong_clock=not arrival.first <= record["at"] <= arrival.last,
            )
            for m, record in zip(stored, records, strict=True)
        ]
    return in_order(records_to_table(DAY, records, hashes, stored))


def audit(sent: Sequence[bytes], around: Around = NOTHING) -> Rows:
    return audit_table_day(DAY, columns(sent), around=around)


def findings(rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(FINDINGS.names, row, strict=True)) for row in rows.findings]


def kinds(rows: Rows) -> list[tuple[str, str | None, int | None]]:
    """Kind, round and event of every finding, in the order of the rounds."""
    return [(f["kind"], f["round"], f["seq"]) for f in findings(rows)]
