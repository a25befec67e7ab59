"""Which paragraphs fired: how often in published days, and in how many golden rounds.

A paragraph fires where a derived line or a finding cites it, or where a round is void under it.
Only those held `settles`, `checks` or `voids` can; the others define, or no event shows them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from events.errors import EvenhandError, InputError
from events.runtime.shipped import shipped

if TYPE_CHECKING:
    import duckdb

    from checks.golden.load import Golden
    from replay.answer import Answer
    from replay.rulebook import Rulebook

CAN_FIRE = ("settles", "checks", "voids")
Fired = Counter[tuple[str, str]]
"""By rulebook and paragraph."""

_IN_PLAY = {
    "lines": "SELECT rulebook, unnest(clauses) AS number FROM lines WHERE {days}",
    "findings": "SELECT rulebook, unnest(clauses) AS number FROM findings WHERE {days}",
    "voids": "SELECT rulebook, void_clause AS number FROM rounds WHERE {days}",
}


class CoverageError(EvenhandError):
    """A period whose play can't be counted: the text says which day and what to do."""


@dataclass(frozen=True, slots=True)
class InPlay:
    """What fired in published days: lines, findings and void rounds."""

    days: list[date]
    missing: list[date]  # within the period, never published
    rounds: dict[str, int]  # by rulebook
    fired: dict[str, Fired]


@dataclass(slots=True)
class InGolden:
    """In how many golden rounds each paragraph fired, in any reading that the round tells of."""

    folder: Path
    rounds: Counter[str] = field(default_factory=Counter)  # by rulebook
    fired: Fired = field(default_factory=Counter)


def in_play(db: duckdb.DuckDBPyConnection, days: list[date]) -> InPlay:
    """Count a period. Its first and last day were asked for by name, so they must be there."""
    within = [days[0], days[-1]]
    there = {
        day
        for (day,) in db.execute(
            "SELECT day FROM runs WHERE current AND day BETWEEN ? AND ?", within
        ).fetchall()
    }
    for day in within:
        if day not in there:
            raise CoverageError(
                f"day {day} is not in the warehouse: evenhand nightly --day {day} comes first"
            )
    chosen = "day BETWEEN ? AND ?"
    rounds = db.execute(
        f"SELECT rulebook, count(*) FROM rounds WHERE {chosen} AND rulebook IS NOT NULL GROUP BY 1",
        within,
    ).fetchall()
    fired = {}
    for name, cited in _IN_PLAY.items():
        rows = db.execute(
            f"SELECT rulebook, number, count(*) FROM ({cited.format(days=chosen)}) "
            "WHERE rulebook IS NOT NULL AND number IS NOT NULL GROUP BY ALL",
            within,
        ).fetchall()
        fired[name] = Counter({(book, number): count for book, number, count in rows})
    missing = [day for day in days if day not in there]
    return InPlay(sorted(there), missing, dict(rounds), fired)


def golden_folder() -> Path | None:
    """The golden rounds of a checkout, or those that were installed with the program."""
    folder = shipped("checks/golden/rounds", "tests/replay/golden")
    return folder if folder.is_dir() else None


def in_golden(folder: Path, book: str | None = None) -> InGolden:
    """Replay every golden round under a folder, or those of one rulebook."""
    from checks.golden.load import read_golden

    files = sorted(folder.rglob("*.yaml"))
    if not files:
        raise InputError(f"{folder}: expected a folder with golden rounds, found no .yaml file")
    out = InGolden(folder)
    for path in files:
        for golden in read_golden(path).rounds:
            if book in {None, golden.rulebook}:
                out.rounds[golden.rulebook] += 1
                out.fired.update((golden.rulebook, number) for number in _cited(golden))
    return out


def _cited(golden: Golden) -> set[str]:
    from checks.golden.judge import answer_of

    turned = sorted(golden.other.keys() | golden.other_findings.keys())
    answers = [answer_of(golden), *(answer_of(golden, (reading,)) for reading in turned)]
    return set().union(*(_of_answer(answer, settled=golden.settled) for answer in answers))


def _of_answer(answer: Answer, *, settled: bool) -> set[str]:
    from checks.golden.judge import ONLY_IF_SETTLED

    cited = {number for line in answer.lines for number in line.clauses}
    for finding in answer.findings:
        # a round that nobody settled is written for its lines: what is missing is no finding
        if settled or finding.kind not in ONLY_IF_SETTLED:
            cited.update(finding.clauses)
    return cited if answer.void_clause is None else cited | {answer.void_clause}


def coverage_of(book: Rulebook, play: InPlay, golden: InGolden | None) -> dict[str, Any]:
    """One rulebook's entry in the answer, as --json has it."""
    clauses = []
    for clause in book.clauses:
        key = (book.id, clause.number)
        entry: dict[str, Any] = {"number": clause.number, "held": clause.held, "gist": clause.gist}
        entry |= {name: fired[key] for name, fired in play.fired.items()}
        entry["golden"] = None if golden is None else golden.fired[key]
        clauses.append(entry)
    can = [entry for entry in clauses if entry["held"] in CAN_FIRE]
    silent = [entry for entry in can if not any(entry[name] for name in play.fired)]
    listed = {clause.number for clause in book.clauses}
    cited = {number for fired in play.fired.values() for id_, number in fired if id_ == book.id}
    return {
        "id": book.id,
        "rounds": play.rounds.get(book.id, 0),
        "golden_rounds": None if golden is None else golden.rounds[book.id],
        "clauses": clauses,
        "never_in_play": [entry["number"] for entry in silent],
        "never_in_golden": None
        if golden is None
        else [e["number"] for e in can if not e["golden"]],
        "never": [entry["number"] for entry in silent if not entry["golden"]],
        # an older run may have cited a paragraph by a number that this code does not list
        "unlisted": sorted(cited - listed),
    }
