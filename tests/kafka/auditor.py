"""Looks at an archive from outside: fastavro and sqlite3 alone, none of the archive's own code."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

import fastavro


class KeptMessage(NamedTuple):
    """A message as the archive keeps it."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes


def evidence(root: Path) -> list[KeptMessage]:
    """Every message in the evidence, as often as it lies there."""
    kept = []
    for path in sorted(root.glob("*/evidence-*.avro")):
        with path.open("rb") as file:
            kept += [
                KeptMessage(r["partition"], r["offset"], r["key"], r["value"])
                for r in fastavro.reader(file)
            ]
    return kept


def quarantine(root: Path) -> list[tuple[KeptMessage, str]]:
    """Every message in quarantine with its kind, in the order in which it came."""
    db = sqlite3.connect(root / "journal.sqlite")
    try:
        sql = 'SELECT partition, "offset", "key", raw, kind FROM quarantine ORDER BY id'
        return [(KeptMessage(*row[:4]), row[4]) for row in db.execute(sql)]
    finally:
        db.close()


def strange(root: Path) -> list[tuple[str, str]]:
    """What the journal noted about the logs: kind and sentence."""
    db = sqlite3.connect(root / "journal.sqlite")
    try:
        return db.execute("SELECT kind, message FROM source_events ORDER BY id").fetchall()
    finally:
        db.close()


def taken(root: Path) -> int:
    """How many messages the journal counts, 0 before there is one."""
    if not (root / "journal.sqlite").exists():
        return 0
    db = sqlite3.connect(root / "journal.sqlite")
    try:
        return int(db.execute("SELECT coalesce(sum(next), 0) FROM positions").fetchone()[0])
    finally:
        db.close()
