"""A query that Ctrl-C stops.

DuckDB does not look for signals while it works, and a signal reaches only the main thread. So the
query runs in another one, and the main thread waits where it can be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def cancellable(db: duckdb.DuckDBPyConnection, work: Callable[[], None]) -> None:
    """Do some work on a connection; Ctrl-C stops the query and raises KeyboardInterrupt."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(work)
        try:
            asked.result()
        except KeyboardInterrupt:
            while not asked.done():  # again, where the query had not begun yet
                db.interrupt()
                wait([asked], timeout=0.1)
            raise
