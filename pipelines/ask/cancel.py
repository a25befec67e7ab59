"""A query that Ctrl-C stops.

DuckDB does not look for signals while it works, and a signal reaches only the main thread. So the
query runs in another one, and the main thread waits where it can be interrupted.
"""

from __future__ import annotations

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
            pass
    except KeyboardInterrupt:
        # again and again, because a query that had not begun yet would not notice the first
        while asked.ident is not None and not ended.wait(0.1):
            db.interrupt()
        raise
    if errors:
        raise errors[0]
