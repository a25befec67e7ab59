"""The board: how the floor stands, written by a watcher for whoever looks, and never read by it.

A small SQLite file that is made anew with each start; losing it loses nothing. A page that looks at
one table says so in it, and the watcher then writes down what is dealt there.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from events.jsonl import dumps, loads
from events.model import Envelope
from events.runtime.modes import make_folder, open_file
from pipelines.watch.outbox import outbox_file, words_after
from pipelines.watch.table import TableWatch

_SCHEMA = """
DROP TABLE IF EXISTS about; DROP TABLE IF EXISTS floor; DROP TABLE IF EXISTS wanted;
DROP TABLE IF EXISTS play;
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE floor (table_id TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL)
    WITHOUT ROWID;
CREATE INDEX floor_by_version ON floor (version);
CREATE TABLE wanted (table_id TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE play (table_id TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL)
    WITHOUT ROWID;
"""
ALIVE_S = 15.0
"""A watcher that has written nothing for so long is not at work."""
WANTED_S = 30.0
HOUR_US = 3_600_000_000
FINDINGS_SHOWN = 100


def board_file(home: Path, name: str = "watch") -> Path:
    return outbox_file(home, name).with_suffix(".board")


class WatchBoard:
    """The board as the watcher writes it."""

    def __init__(self, home: Path, name: str, source: str) -> None:
        path = board_file(home, name)
        make_folder(path.parent)
        os.close(open_file(path, os.O_RDWR | os.O_CREAT))
        self._db = sqlite3.connect(path, isolation_level=None, timeout=5)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.executescript(f"BEGIN;{_SCHEMA}COMMIT")
        self._version, self._source, self._begun = 0, source, time.time()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._db.execute("DELETE FROM about")
        self._db.close()

    def write(
        self, tables: Mapping[str, TableWatch], heard: Mapping[str, float], lag: int | None
    ) -> None:
        """How these tables stand now; `heard` says when each was last heard of."""
        self._version += 1
        now = time.time()
        about = {"at": now, "lag": lag, "source": self._source, "begun": self._begun}
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(
            "INSERT OR REPLACE INTO about VALUES (?, ?)",
            [(name, json.dumps(value)) for name, value in about.items()],
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO floor VALUES (?, ?, ?)",
            [
                (name, self._version, json.dumps(standing(table, heard.get(name))))
                for name, table in tables.items()
            ],
        )
        self._db.execute("COMMIT")

    def wanted(self) -> list[str]:
        """The tables that somebody looks at."""
        sql = "SELECT table_id FROM wanted WHERE until > ?"
        return [name for (name,) in self._db.execute(sql, (time.time(),))]

    def write_play(self, tables: Iterable[TableWatch]) -> None:
        """What is dealt at these tables."""
        self._version += 1
        for table in tables:
            self._db.execute(
                "INSERT INTO play VALUES (?, ?, ?) ON CONFLICT (table_id) DO UPDATE SET "
                "version = excluded.version, body = excluded.body WHERE body != excluded.body",
                (table.table, self._version, json.dumps(_play(table))),
            )


def standing(table: TableWatch, heard: float | None) -> dict[str, Any]:
    """One table as the floor's page shows it."""
    current = table.current_round()
    state = "closed" if table.closed else "open"
    if current is not None and not table.closed:
        state = "in a round"
    last = table.last_us
    hour = sum(us > (last or 0) - HOUR_US for us in table.closings)
    return {
        "table": table.table,
        "state": state,
        "round": current,
        "heard": heard if heard is not None else (None if last is None else last / 1e6),
        "seen_us": last,
        "whole": table.whole,
        "rounds_hour": hour,
        "findings": table.findings,
    }


def _play(table: TableWatch) -> dict[str, Any]:
    """The last rounds, and the events of the newest."""
    order = sorted(table.rounds.items(), key=lambda pair: pair[1].first_seq)
    rounds = [
        {
            "round": name,
            "closed": r.closed,
            "status": None if r.status is None else json.loads(r.status)["status"],
            "findings": [json.loads(text) for text in r.told.values()],
        }
        for name, r in reversed(order)
    ]
    newest = order[-1][0] if order else None
    events = sorted((e for e in table.events if e.event.round == newest), key=lambda e: e.seq)
    lines = [dumps(e.event) for e in events if newest is not None]
    return {"rounds": rounds, "round": newest, "events": lines}


class BoardView(NamedTuple):
    """What the board says. `alive` is False where no watcher is at work."""

    alive: bool
    about: dict[str, Any]
    tables: list[dict[str, Any]]
    version: int


class Played(NamedTuple):
    """A table as somebody looks at it: its last rounds, and the newest with its events."""

    version: int
    rounds: list[dict[str, Any]]
    round: str | None
    events: tuple[Envelope, ...]


class BoardReader:
    """The board and the outbox as the desk reads them, opened for each look."""

    def __init__(self, home: Path, name: str = "watch") -> None:
        self._board, self._outbox = board_file(home, name), outbox_file(home, name)

    def floor(self, after: int = 0) -> BoardView:
        """The tables that changed after a version of the board, and what is said of the whole."""
        if not self._board.exists():
            return BoardView(False, {}, [], 0)
        try:
            with closing(_open(self._board)) as db:
                about = {n: json.loads(v) for n, v in db.execute("SELECT name, value FROM about")}
                newest = db.execute("SELECT max(version) FROM floor").fetchone()[0] or 0
                since = after if after <= newest else 0  # a watcher that began anew
                sql = "SELECT body FROM floor WHERE version > ? ORDER BY table_id"
                rows = [json.loads(body) for (body,) in db.execute(sql, (since,))]
        except sqlite3.Error:
            return BoardView(False, {}, [], after)
        alive = time.time() - about.get("at", 0) < ALIVE_S
        return BoardView(alive, about, rows, newest)

    def told(self, after: int | None) -> tuple[int, list[dict[str, Any]]]:
        """The number of the last word, and the words after a number; the last ones without."""
        if not self._outbox.exists():
            return 0, []
        try:
            with closing(_open(self._outbox)) as db:
                last = db.execute("SELECT max(n) FROM told").fetchone()[0] or 0
                if after is None:
                    sql = (
                        "SELECT n FROM told WHERE what != 'round' ORDER BY n DESC LIMIT 1 OFFSET ?"
                    )
                    row = db.execute(sql, (FINDINGS_SHOWN,)).fetchone()
                    after = 0 if row is None else int(row[0])
                words = words_after(db, after, 1000)
                sql = "SELECT id, verdict FROM standing WHERE verdict IS NOT NULL AND n > ?"
                verdicts = dict(db.execute(sql, (after,)).fetchall())
        except sqlite3.Error:
            return after or 0, []
        said = [
            {"n": n, **w.to_json(), "night": verdicts.get(w.id)}
            for n, w in words
            if w.what != "round"
        ]
        return (words[-1].n if words else last), said

    def look_at(self, table: str) -> Played | None:
        """A table's play; None where the watcher has not written it yet. Says that it is wanted."""
        if not self._board.exists():
            return None
        try:
            with closing(sqlite3.connect(self._board, timeout=2)) as db, db:
                known = db.execute("SELECT 1 FROM floor WHERE table_id = ?", (table,)).fetchone()
                if known is None:
                    return None
                until = time.time() + WANTED_S
                db.execute("INSERT OR REPLACE INTO wanted VALUES (?, ?)", (table, until))
                sql = "SELECT version, body FROM play WHERE table_id = ?"
                row = db.execute(sql, (table,)).fetchone()
        except sqlite3.Error:
            return None
        if row is None:
            return None
        body = json.loads(row[1])
        events = tuple(loads(line) for line in body["events"])
        return Played(row[0], body["rounds"], body["round"], events)


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)
