"""Alerts on their way: kept until each address has them, and told again until somebody has seen it.

An alert has a key: the same one is put in once, whoever finds it, and however often. The night and
every watcher use this one outbox; whoever of them runs delivers what is due.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from events.formats import ALERTS
from events.runtime.modes import make_folder, open_file
from pipelines.alerts.alert import Alert
from pipelines.alerts.notify import Notifier

FILE = "alerts.sqlite"
FIRST_WAIT_S, LONGEST_WAIT_S = 5, 3600
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE alerts (
    key TEXT PRIMARY KEY, finding TEXT, rule TEXT, body TEXT NOT NULL, made_at REAL NOT NULL,
    repeat_s INTEGER, seen_at REAL, seen_by TEXT, over TEXT) WITHOUT ROWID;
CREATE INDEX alerts_by_finding ON alerts (finding);
CREATE TABLE deliveries (
    key TEXT NOT NULL, address TEXT NOT NULL, due_at REAL, attempts INTEGER NOT NULL DEFAULT 0,
    delivered INTEGER NOT NULL DEFAULT 0, last_error TEXT,
    PRIMARY KEY (key, address)) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (due_at);
-- findings of a dealer, for rules about several
CREATE TABLE dealt (
    rule TEXT NOT NULL, dealer TEXT NOT NULL, finding TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (rule, dealer, finding)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class KeptAlert:
    """An alert of the outbox, for those who look at it."""

    key: str
    finding: str | None
    rule: str | None
    text: str
    made_at: float
    repeat_s: int | None
    seen_at: float | None
    seen_by: str | None
    over: str | None
    delivered: int
    undelivered: int
    last_error: str | None


class AlertOutbox:
    """The outbox of a home. Any number of processes may have it open."""

    def __init__(self, home: Path) -> None:
        make_folder(home)
        path = home / FILE
        os.close(open_file(path, os.O_RDWR | os.O_CREAT))
        self._db = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        with self._write():
            if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute("INSERT INTO about VALUES ('format', ?)", (str(ALERTS.version),))
        found = self._db.execute("SELECT value FROM about WHERE name = 'format'").fetchone()
        ALERTS.check(found[0], path, write=True)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _write(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def put(
        self,
        key: str,
        alert: Alert,
        addresses: Iterable[str],
        now: float,
        *,
        finding: str | None = None,
        rule: str | None = None,
        repeat_s: int | None = None,
    ) -> bool:
        """Keep an alert until these addresses have it. False where it is there already."""
        body = json.dumps(alert.to_json(), ensure_ascii=False)
        with self._write():
            done = self._db.execute(
                "INSERT OR IGNORE INTO alerts (key, finding, rule, body, made_at, repeat_s) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (key, finding, rule, body, now, repeat_s),
            )
            if not done.rowcount:
                return False
            self._db.executemany(
                "INSERT INTO deliveries (key, address, due_at) VALUES (?, ?, ?)",
                [(key, address, now) for address in addresses],
            )
        return True

    def due(self, now: float, key: str | None = None) -> list[tuple[str, str, Alert]]:
        """What is to be delivered now: key, address and alert."""
        where = "" if key is None else "AND d.key = ? "
        rows = self._db.execute(
            "SELECT d.key, d.address, a.body FROM deliveries d JOIN alerts a USING (key) "
            f"WHERE d.due_at <= ? {where}ORDER BY d.due_at LIMIT 200",
            (now,) if key is None else (now, key),
        ).fetchall()
        return [(k, address, Alert(**json.loads(body))) for k, address, body in rows]

    def delivered(self, key: str, address: str, now: float) -> None:
        """An address has it. It is due again where the rule says so and nobody has seen it."""
        with self._write():
            self._db.execute(
                "UPDATE deliveries SET delivered = delivered + 1, attempts = 0, last_error = NULL, "
                "due_at = (SELECT CASE WHEN seen_at IS NULL AND over IS NULL THEN ? + repeat_s END "
                "FROM alerts WHERE alerts.key = deliveries.key) WHERE key = ? AND address = ?",
                (now, key, address),
            )

    def failed(self, key: str, address: str, now: float, why: str) -> None:
        """An address could not be reached: later again, each time twice as late."""
        with self._write():
            self._db.execute(
                "UPDATE deliveries SET attempts = attempts + 1, last_error = ?, "
                "due_at = ? + min(?, ? * (1 << min(attempts, 16))) WHERE key = ? AND address = ?",
                (why[:500], now, LONGEST_WAIT_S, FIRST_WAIT_S, key, address),
            )

    def seen(self, finding: str, who: str, now: float) -> int:
        """Somebody has seen what was told of a finding: it is not repeated. How many alerts."""
        return self._quiet("seen_at = ?, seen_by = ?", (now, who), finding, "seen_at IS NULL")

    def over(self, finding: str, why: str) -> int:
        """A finding that does not stand any more is not told again. How many had been told."""
        return self._quiet("over = ?", (why,), finding, "over IS NULL")

    def _quiet(self, change: str, values: tuple[Any, ...], finding: str, only: str) -> int:
        with self._write():
            done = self._db.execute(
                f"UPDATE alerts SET {change} WHERE finding = ? AND {only}", (*values, finding)
            )
            self._db.execute(
                "UPDATE deliveries SET due_at = NULL WHERE delivered > 0 AND key IN "
                "(SELECT key FROM alerts WHERE finding = ?)",
                (finding,),
            )
        return done.rowcount

    def of_dealer(self, rule: str, dealer: str, finding: str, at: float, within_s: float) -> int:
        """Note a finding of a dealer; how many fit the rule within that time around it."""
        with self._write():
            self._db.execute(
                "INSERT OR IGNORE INTO dealt VALUES (?, ?, ?, ?)", (rule, dealer, finding, at)
            )
            self._db.execute("DELETE FROM dealt WHERE at < ?", (at - 30 * 86_400,))
        row = self._db.execute(
            "SELECT count(*) FROM dealt WHERE rule = ? AND dealer = ? AND at BETWEEN ? AND ?",
            (rule, dealer, at - within_s, at),
        ).fetchone()
        return int(row[0])

    def not_of_dealer(self, finding: str) -> None:
        """A finding that does not stand any more counts for no dealer."""
        with self._write():
            self._db.execute("DELETE FROM dealt WHERE finding = ?", (finding,))

    def kept(self, most: int = 500) -> list[KeptAlert]:
        """The alerts, newest first."""
        rows = self._db.execute(
            "SELECT key, finding, rule, body, made_at, repeat_s, seen_at, seen_by, over, "
            "(SELECT count(*) FROM deliveries d WHERE d.key = a.key AND delivered > 0), "
            "(SELECT count(*) FROM deliveries d WHERE d.key = a.key AND delivered = 0), "
            "(SELECT max(last_error) FROM deliveries d WHERE d.key = a.key) "
            "FROM alerts a ORDER BY made_at DESC LIMIT ?",
            (most,),
        ).fetchall()
        return [
            KeptAlert(*(json.loads(v)["text"] if n == 3 else v for n, v in enumerate(r)))
            for r in rows
        ]


def deliver_due(outbox: AlertOutbox, to: Sequence[Notifier], now: float) -> list[str]:
    """One attempt for everything that is due; the sentences of those who could not be reached.
    What goes to an address that the settings do not name any more waits."""
    by_name = {notifier.name: notifier for notifier in to}
    missed = []
    for key, address, alert in outbox.due(now):
        notifier = by_name.get(address)
        if notifier is None:
            outbox.failed(key, address, now, "the settings do not name this address any more")
            continue
        try:
            notifier.tell(alert)
        except Exception as error:  # noqa: BLE001 - an address may fail in any way
            why = f"{type(error).__name__}: {error}"
            outbox.failed(key, address, now, why)
            missed.append(f"{address}: the alert was not delivered, it waits: {why}")
        else:
            outbox.delivered(key, address, now)
    return missed
