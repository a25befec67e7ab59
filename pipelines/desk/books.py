"""The published catalogue as one request reads it.

DuckDB is opened once per catalogue file, and every request asks through a cursor of its own. When a
night has put another file in place, the next request opens that one; whoever is still reading goes
on with the file he began with, so that a page is never half of one night and half of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Lock

import duckdb
import pyarrow as pa

from events.errors import EvenhandError
from pipelines.desk.errors import DeskError
from pipelines.report.asking import CASES, Asking
from pipelines.warehouse.chain import catalogue_doubt
from pipelines.warehouse.layout import RunFolder, Warehouse, warehouse_of
from pipelines.warehouse.read import open_readonly

Decided = Callable[[Asking, str], pa.Table]
MEMORY = "512MB"
"""For all pages together; questions of people (/sql) have a bound of their own."""


class NothingPublishedError(DeskError):
    """No night has made a catalogue yet; what is live or archived can be shown all the same."""


class Books(Asking):
    """One catalogue, open for one request."""

    def __init__(self, db: duckdb.DuckDBPyConnection, warehouse: Warehouse, edition: str) -> None:
        super().__init__(db)
        self._warehouse = warehouse
        self.edition = edition
        """Which file it is: two pages with the same one tell of the same night."""
        self.decided = CASES.empty_table()
        """What people decided; another object as soon as that is something else."""

    def with_cases(self, cases: pa.Table) -> None:
        super().with_cases(cases)
        self.decided = cases

    def days(self) -> list[date]:
        """The published days, newest first."""
        return [r["day"] for r in self.rows("SELECT day FROM runs WHERE current ORDER BY day DESC")]

    def folder_of(self, day: date) -> RunFolder | None:
        """The files of the run that counts for a day."""
        found = self.one("SELECT run FROM runs WHERE current AND day = ?", [day])
        return None if found is None else self._warehouse.run_folder(day, found["run"])


class Shelf:
    """Gives each request the catalogue that is in place at that moment."""

    def __init__(self, home: Path, decided: Decided = lambda *_: CASES.empty_table()) -> None:
        self._home, self._lock = home, Lock()
        self.decided = decided
        """What people decided about findings by now, with the columns of CASES."""
        self._open: tuple[str, duckdb.DuckDBPyConnection] | None = None
        self._doubt: str | None = None

    @contextmanager
    def books(self) -> Iterator[Books]:
        edition, parent = self._current()
        db = parent.cursor()
        try:
            db.execute("USE audit")
            books = Books(db, warehouse_of(self._home), edition)
            books.with_cases(self.decided(books, edition))
            yield books
        except duckdb.Error as error:
            raise damaged(f"{type(error).__name__}: {error}") from error
        finally:
            db.close()

    def _current(self) -> tuple[str, duckdb.DuckDBPyConnection]:
        catalogue = warehouse_of(self._home).catalogue
        with self._lock:
            for _ in range(3):  # a night may replace the file between the look and the opening
                edition = edition_of(catalogue)
                if self._open is not None and self._open[0] == edition:
                    return self._open
                try:
                    found = (edition, open_readonly(self._home, MEMORY, lasting=True))
                except (EvenhandError, duckdb.Error) as error:
                    if edition_of(catalogue) != edition:
                        continue
                    raise damaged(str(error)) from None
                doubt = catalogue_doubt(self._home)  # one hash of the file, once for each file
                if edition_of(catalogue) == edition:
                    self._open = found  # the one before closes with its last reader
                    self._doubt = doubt
                    return found
        raise DeskError(503, "Just being replaced", "The catalogue keeps changing: try again.")

    def doubt(self) -> str | None:
        """Why the catalogue in place is not the one that the house signed; None where it is."""
        try:
            self._current()
        except DeskError:  # the page itself tells of it, where it needs the catalogue
            return None
        return self._doubt

    def close(self) -> None:
        with self._lock:
            self._open = None


def edition_of(catalogue: Path) -> str:
    """Which file stands there now."""
    try:
        stat = catalogue.stat()
    except OSError:
        raise NothingPublishedError(
            503,
            "No day is published yet",
            f"There is no warehouse at {catalogue.parent}: evenhand nightly makes one, and this "
            f"page shows it then without a restart.",
        ) from None
    return f"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{stat.st_size:x}"


def damaged(why: str) -> DeskError:
    """A catalogue that is there and can't be read."""
    return DeskError(
        503,
        "The catalogue can't be read",
        f"{why} It is derived from the days' files: move it away and run evenhand nightly "
        f"again, or put back a copy.",
    )
