"""What arrived and is no event: kept whole, with its place and the reason, and never dropped."""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from events.chain import Head
from events.seal import Sealed, hash_lines


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
    arrived: int | None = None  # in microseconds since 1970; only writing and judging again need it

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


_RELEASED = 2  # of `forwarded`: 0 not told yet, 1 told to the dead-letter topic, 2 an event now
HELD = f"forwarded <> {_RELEASED}"
"""What still lies in quarantine, as a condition."""

_FIELDS = 'source, partition, "offset", "key", raw, reason, kind, day, table_id, round, seq'


def write(db: sqlite3.Connection, found: Sequence[Quarantined], noted_at: str) -> None:
    """Put a batch's bad messages into the journal, within its transaction."""
    db.executemany(
        f"INSERT INTO quarantine ({_FIELDS}, noted_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            (q.source, q.partition, q.offset, q.key, q.raw, q.reason, q.kind, q.day.isoformat(),
             q.table, q.round, q.seq, noted_at)
            for q in found
        ),
    )  # fmt: skip
    db.executemany(
        "INSERT INTO quarantine_arrivals VALUES (?, ?, ?, ?)",
        ((q.source, q.partition, q.offset, q.arrived) for q in found if q.arrived is not None),
    )


def read(db: sqlite3.Connection, day: date | None = None) -> Iterator[Quarantined]:
    """What lies in quarantine, in the order in which it came."""
    where, values = ("AND day = ? ", (day.isoformat(),)) if day else ("", ())
    sql = f"SELECT {_FIELDS} FROM quarantine WHERE {HELD} {where}ORDER BY id"
    for r in db.execute(sql, values):
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


def lines(db: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Number and line of each message in quarantine: the hash of all that the journal says of it.

    Whether it was told to the dead-letter topic is no part of it: that changes honestly.
    """
    for number, *rest in db.execute(f"SELECT id, {_FIELDS}, noted_at FROM quarantine ORDER BY id"):
        plain = [value.hex() if isinstance(value, bytes) else value for value in rest]
        text = json.dumps(plain, ensure_ascii=True, separators=(",", ":"))
        yield number, f"{number} {hashlib.sha256(text.encode()).hexdigest()}"


def sealed(db: sqlite3.Connection) -> Sealed | None:
    """The quarantine as it stands: from its first message to its last, under one seal."""
    found = list(lines(db))
    if not found:
        return None
    number, line = found[-1]
    head = Head(number, bytes.fromhex(line.split()[1]))
    return Sealed(found[0][0], head, hash_lines(line for _, line in found))


def judged_again(db: sqlite3.Connection, after: int, most: int) -> list[tuple[int, Quarantined]]:
    """What may be read now, by number; damage in a log is no message and stays what it is."""
    wanted = f"{HELD} AND kind <> 'damage' AND id > ?"
    sql = f"SELECT arrived, id, {_FIELDS} FROM quarantine LEFT JOIN quarantine_arrivals "
    sql += f'USING (source, partition, "offset") WHERE {wanted} ORDER BY id LIMIT {most:d}'
    rows = db.execute(sql, (after,)).fetchall()
    return [(r[1], replace(_quarantined(r[2:]), arrived=r[0])) for r in rows]


def release(db: sqlite3.Connection, places: Iterable[tuple[str, int, int]]) -> None:
    """Within a transaction: these became events, by source, partition and offset.

    Their rows stay, because a seal covers them.
    """
    db.executemany(
        f"UPDATE quarantine SET forwarded = {_RELEASED} "
        'WHERE source = ? AND partition = ? AND "offset" = ?',
        places,
    )
