"""The manifest of a day: what lies there and what it amounts to, for people and for other tools.

It is derived from the journal and can be written again at any time; what counts is the journal.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from typing import Any

from events.archive.journal import snapshot, transaction
from events.archive.quarantine import HELD
from events.archive.store import Store
from events.runtime.durable import write_whole


def build(db: sqlite3.Connection, day: date) -> dict[str, Any]:
    """The manifest as the journal has it now."""
    text = day.isoformat()
    with snapshot(db):
        row = db.execute(
            "SELECT revision, complete, changed, first_at, last_at FROM days WHERE day = ?",
            (text,),
        ).fetchone()
        types = dict(
            db.execute("SELECT type, events FROM day_types WHERE day = ? ORDER BY type", (text,))
        )
        return {
            "day": text,
            "revision": row[0],
            "complete": bool(row[1]),
            "commit": row[2],
            "reopened": _reopenings(db, text),
            "first_at": row[3],
            "last_at": row[4],
            "events": sum(types.values()),
            "events_by_type": types,
            "rounds_opened": types.get("RoundOpened", 0),
            "rounds_closed": types.get("RoundClosed", 0),
            "tables": _tables(db, text),
            "quarantined": _quarantined(db, text),
            "files": _files(db, text),
        }


def _reopenings(db: sqlite3.Connection, day: str) -> list[dict[str, Any]]:
    sql = "SELECT revision, reopened_at, why FROM reopenings WHERE day = ? ORDER BY revision"
    names = ("revision", "reopened_at", "why")
    return [dict(zip(names, r, strict=True)) for r in db.execute(sql, (day,))]


def _tables(db: sqlite3.Connection, day: str) -> dict[str, Any]:
    sql = "SELECT table_id, events, first_seq, last_seq FROM day_tables WHERE day = ?"
    return {
        r[0]: {"events": r[1], "first_seq": r[2], "last_seq": r[3]}
        for r in db.execute(sql + " ORDER BY table_id", (day,))
    }


def _quarantined(db: sqlite3.Connection, day: str) -> int:
    sql = f"SELECT count(*) FROM quarantine WHERE day = ? AND {HELD}"
    return int(db.execute(sql, (day,)).fetchone()[0])


def _files(db: sqlite3.Connection, day: str) -> list[dict[str, Any]]:
    sqls = {
        "evidence": "SELECT name, length, sha256, messages FROM segments WHERE day = ?",
        "columns": "SELECT name, size, sha256, rows FROM columns WHERE day = ?",
        "index": "SELECT name, size, sha256, rounds FROM indexes WHERE day = ?",
    }
    return [
        {"name": name, "kind": kind, "bytes": size, "sha256": sha256.hex(), "count": count}
        for kind, sql in sqls.items()
        for name, size, sha256, count in db.execute(sql + " ORDER BY name", (day,))
    ]


def encode(manifest: dict[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()


def publish(store: Store) -> None:
    """Write the manifests of all days that changed since they were last written."""
    sql = "SELECT day, changed FROM days WHERE changed > published ORDER BY day"
    for text, changed in store.db.execute(sql).fetchall():
        day = date.fromisoformat(text)
        write_whole(store.layout.manifest(day), encode(build(store.db, day)))
        with transaction(store.db):
            store.db.execute("UPDATE days SET published = ? WHERE day = ?", (changed, text))
