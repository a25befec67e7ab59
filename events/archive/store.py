"""What the parts that write the archive share: the journal, the paths, a clock and file numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from events.archive.journal import get_about, set_about, text_of
from events.archive.layout import Layout

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Store:
    """An archive open for writing.

    `number` is given to the next new file. It counts in the journal only with the transaction
    that names the file, so a file with a higher number than the journal's never happened.
    """

    db: sqlite3.Connection
    layout: Layout
    now: Clock
    number: int = field(init=False)
    commit: int = field(init=False)

    def __post_init__(self) -> None:
        self.number = int(get_about(self.db, "file"))
        self.commit = int(get_about(self.db, "commit"))

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def count_commit(self) -> int:
        """Within a transaction: number it, and make the numbers of new files count."""
        self.commit += 1
        set_about(self.db, "commit", self.commit)
        set_about(self.db, "file", self.number)
        return self.commit

    def now_text(self) -> str:
        return text_of(self.now())

    def retire(self, day: date, name: str) -> None:
        """Within a transaction: a file that another has taken the place of goes later."""
        self.db.execute(
            "INSERT OR REPLACE INTO retired VALUES (?, ?, ?)",
            (day.isoformat(), name, self.now_text()),
        )

    def changed(self, day: date) -> None:
        """Within a transaction: the day's manifest has to be written again."""
        self.db.execute("UPDATE days SET changed = ? WHERE day = ?", (self.commit, day.isoformat()))
