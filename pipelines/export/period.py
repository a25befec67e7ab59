"""Which days of a period can be exported, and what is said about days on which nothing happened.

A day without activity is stated, not left out: a missing day and an empty day must not look alike.
So a day that was played and not audited yet is refused rather than passed off as empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from checks.silence import silence_of_day
from events.archive.errors import ArchiveError
from events.archive.reader import Archive
from events.errors import EvenhandError
from events.registry import load_registry
from events.settings import Settings

if TYPE_CHECKING:
    import duckdb


class ExportError(EvenhandError):
    """A period that can't be exported: the text says which day and what to do."""


@dataclass(frozen=True, slots=True)
class DayStatement:
    """What is stated about one day."""

    day: date
    run: str | None
    rounds: int
    lines: int
    findings: int
    silent: int = 0  # tables that sent nothing, and were not closed or are expected

    @property
    def active(self) -> bool:
        return self.rounds > 0

    @property
    def text(self) -> str:
        """That nothing happened is said only where every table was closed and nothing was found."""
        if self.active or self.findings:
            silent = f" ({self.silent:,} tables sent nothing)" if self.silent else ""
            return (
                f"{self.day}: {self.rounds:,} rounds, {self.lines:,} lines, "
                f"{self.findings:,} findings{silent}, by run {self.run}"
            )
        by = f"by run {self.run}" if self.run else "the archive holds no event of any table"
        return f"{self.day}: no activity; {by}"


def statements(
    db: duckdb.DuckDBPyConnection | None,
    settings: Settings,
    days: list[date],
    now: datetime | None = None,
) -> list[DayStatement]:
    """A statement for every day of a period, or an ExportError for one that is not ready."""
    today = settings.gaming_day.day_of(now or datetime.now(UTC))
    archived, silent = _archived(settings, days)
    counts = {} if db is None else _counts(db, days)
    out = []
    for day in days:
        if day >= today:
            raise ExportError(f"day {day} is not over yet: the last one that is ended before it")
        if day in counts:
            out.append(DayStatement(day, *counts[day]))
        elif day in archived:
            raise ExportError(
                f"day {day} was played and has not been audited: evenhand nightly --day {day} "
                "comes first"
            )
        elif day in silent:
            raise ExportError(
                f"day {day}: nothing came, and {_some(silent[day])} not closed before it or should "
                f"have played: evenhand nightly --day {day} comes first, which says so"
            )
        else:
            out.append(DayStatement(day, None, 0, 0, 0))
    return out


def _some(tables: list[str]) -> str:
    more = f" and {len(tables) - 3} more" if len(tables) > 3 else ""
    return f"{', '.join(tables[:3])}{more} {'was' if len(tables) == 1 else 'were'}"


def must_be_as_signed(home: Path, days: list[date]) -> None:
    """An ExportError where what would be exported is not what the house signed."""
    from pipelines.warehouse.held import published_problems

    found = list(published_problems(home, days))
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise ExportError(
            f"{found[0].message}{more}; nothing was exported, evenhand verify names everything"
        )


def _archived(settings: Settings, days: list[date]) -> tuple[set[date], dict[date, list[str]]]:
    """The days that the archive has something of, and of the others of a period those on which
    tables were silent; without an archive nothing can be said."""
    registry = load_registry(settings.tables_file)
    try:
        with Archive(settings.home / "archive") as archive:
            there = {day for day in archive.days() if archive.manifest(day)["events"]}
            missed = {
                day: [f.table for f in silence_of_day(archive, day, registry) if f.table]
                for day in days
                if day not in there
            }
            return there, {day: tables for day, tables in missed.items() if tables}
    except ArchiveError as error:
        raise ExportError(
            f"{error}; without it nobody can state that a day had no activity"
        ) from None


def _counts(
    db: duckdb.DuckDBPyConnection, days: list[date]
) -> dict[date, tuple[str, int, int, int, int]]:
    rows = db.execute(
        "SELECT day, run, (SELECT count(*) FROM rounds r WHERE r.day = runs.day), "
        "(SELECT count(*) FROM lines l WHERE l.day = runs.day), "
        "(SELECT count(*) FROM findings f WHERE f.day = runs.day), "
        "(SELECT count(*) FROM findings f WHERE f.day = runs.day AND f.kind = 'silent_table') "
        "FROM runs WHERE current AND day BETWEEN ? AND ?",
        [days[0], days[-1]],
    ).fetchall()
    return {row[0]: (row[1], row[2], row[3], row[4], row[5]) for row in rows}
