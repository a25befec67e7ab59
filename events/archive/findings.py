"""What verification can say, in distinct words, and how it is put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from events.chain import ChainReport


class Trouble(StrEnum):
    """What can be wrong with a day's files or the journal; the chain has words of its own."""

    MISSING_FILE = "missing_file"
    CHANGED_FILE = "changed_file"
    UNREADABLE_FILE = "unreadable_file"
    COLUMNS_DIFFER = "columns_differ"
    MANIFEST_DIFFERS = "manifest_differs"
    COUNT_DIFFERS = "count_differs"
    QUARANTINE_DIFFERS = "quarantine_differs"
    JOURNAL_DIFFERS = "journal_differs"
    UNSIGNED = "unsigned"
    WRONG_SIGNATURE = "wrong_signature"
    UNKNOWN_KEY = "unknown_key"
    PEOPLE_LOG_DIFFERS = "people_log_differs"


@dataclass(frozen=True, slots=True)
class ArchiveProblem:
    """One thing wrong with a day, or with the archive as a whole."""

    verdict: Trouble
    message: str
    table: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"verdict": str(self.verdict), "table": self.table, "message": self.message}


@dataclass(slots=True)
class DayReport:
    """What was found about one day."""

    day: date
    events: int = 0
    files: int = 0
    quarantined: int = 0
    problems: list[ArchiveProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def verdicts(self) -> list[str]:
        """`intact` alone, or all that is wrong."""
        return sorted({str(p.verdict) for p in self.problems}) or ["intact"]

    def to_json(self) -> dict[str, Any]:
        return {
            "day": self.day.isoformat(),
            "verdicts": self.verdicts,
            "events": self.events,
            "files": self.files,
            "quarantined": self.quarantined,
            "problems": [p.to_json() for p in self.problems],
            "notes": self.notes,
        }


@dataclass(slots=True)
class VerifyReport:
    """What was found about an archive."""

    days: list[DayReport] = field(default_factory=list)
    tables: list[ChainReport] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    problems: list[ArchiveProblem] = field(default_factory=list)
    """What is wrong with the archive as a whole."""

    @property
    def is_well(self) -> bool:
        parts = [*(d.problems for d in self.days), *(t.breaks for t in self.tables)]
        return not self.problems and not any(parts)

    def to_json(self) -> dict[str, Any]:
        """As `evenhand verify --json` prints it."""
        return {
            "verdict": "intact" if self.is_well else "wrong",
            "problems": [p.to_json() for p in self.problems],
            "days": [d.to_json() for d in self.days],
            "tables": [_table_json(t) for t in self.tables],
            "sources": self.sources,
        }


def _table_json(report: ChainReport) -> dict[str, Any]:
    return {
        "table": report.table,
        "verdicts": sorted(str(v) for v in report.verdicts),
        "events": report.events,
        "head": {"seq": report.head.seq, "hash": report.head.hash.hex()},
        "problems": [
            {"verdict": str(b.verdict), "first": b.first, "last": b.last, "message": b.message}
            for b in report.breaks
        ],
    }
