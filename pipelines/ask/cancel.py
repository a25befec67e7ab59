"""A query that Ctrl-C stops, and that tells how far it is where it takes long.

DuckDB does not look for signals while it works, and a signal reaches only the main thread. So the
query runs in another one, and the main thread waits where it can be interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def cancellable(db: duckdb.DuckDBPyConnection, work: Callable[[], None]) -> None:
    """Do some work on a connection; Ctrl-C stops the query and raises KeyboardInterrupt."""
    ended = Event()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
            errors.append(error)
        finally:
            ended.set()

    asked = Thread(target=run, name="query", daemon=True)
    try:
        asked.start()
        while not ended.wait(1):
            _tell(db)
        _tell(None)
    except KeyboardInterrupt:
        _tell(None)
        # again and again, because a query that had not begun yet would not notice the first
        while asked.ident is not None and not ended.wait(0.1):
            db.interrupt()
        raise
    if errors:
        raise errors[0]


def _tell(db: duckdb.DuckDBPyConnection | None) -> None:
    """How far a slow query is, on a terminal, over and over on one line; None clears it."""
    if not sys.stderr.isatty():
        return
    done = 0.0 if db is None else db.query_progress()
    text = f"{done:3.0f} % of the query, Ctrl-C stops it" if done > 0 else ""
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
