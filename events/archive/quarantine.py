"""What arrived and is no event: kept whole, with its place and the reason, and never dropped."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One message in quarantine. Table, round and seq as far as the bytes tell them.

    `kind` is one word for the reason: undecodable, contract, key or damage.
    """

    source: str
    partition: int
    offset: int
    key: bytes | None
    raw: bytes
    reason: str
    kind: str
    day: date
    table: str | None = None
    round: str | None = None
    seq: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As `evenhand quarantine --json` prints it."""
        return {
            "source": self.source,
            "partition": self.partition,
            "offset": self.offset,
            "key": None if self.key is None else self.key.decode("utf-8", "backslashreplace"),
            "table": self.table,
            "round": self.round,
            "seq": self.seq,
            "day": self.day.isoformat(),
            "kind": self.kind,
            "reason": self.reason,
            "size": len(self.raw),
            "sha256": hashlib.sha256(self.raw).hexdigest(),
            "raw": base64.b64encode(self.raw).decode("ascii"),
        }


_FIELDS = 'source, partition, "offset", "key", raw, reason, kind, day, table_id, round, seq'


def write(db: sqlite3.Connection, found: Iterable[Quarantined], noted_at: str) -> None:
    """Put a batch's bad messages into the journal, within its transaction."""
    db.executemany(
        f"INSERT INTO quarantine ({_FIELDS}, noted_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            (q.source, q.partition, q.offset, q.key, q.raw, q.reason, q.kind, q.day.isoformat(),
             q.table, q.round, q.seq, noted_at)
            for q in found
        ),
    )  # fmt: skip


def read(db: sqlite3.Connection, day: date | None = None) -> Iterator[Quarantined]:
    """What lies in quarantine, in the order in which it came."""
    where, values = ("WHERE day = ? ", (day.isoformat(),)) if day else ("", ())
    for r in db.execute(f"SELECT {_FIELDS} FROM quarantine {where}ORDER BY id", values):
        yield _quarantined(r)


def unforwarded(db: sqlite3.Connection) -> Iterator[tuple[int, Quarantined]]:
    """What still has to be told to the dead-letter topic, each with its number."""
    sql = f"SELECT id, {_FIELDS} FROM quarantine WHERE forwarded = 0 ORDER BY id LIMIT 100"
    for r in db.execute(sql).fetchall():
        yield r[0], _quarantined(r[1:])


def _quarantined(r: tuple[Any, ...]) -> Quarantined:
    source, partition, offset, key, raw, reason, kind, day, *told = r
    return Quarantined(
        source, partition, offset, key, raw, reason, kind, date.fromisoformat(day), *told
    )
