"""What is published against what the house signed: the chain of runs, the catalogue, every file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from events.errors import EvenhandError
from events.runtime.digest import file_sha256
from events.trust.errors import TrustError
from events.trust.house import house_keys
from events.trust.note import VerifierKey
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.chain import (
    NOTHING,
    UNLISTED,
    RunLink,
    catalogue_doubt,
    chain_file,
    links,
)
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import RunFolder, warehouse_of
from pipelines.warehouse.record import read_record


@dataclass(frozen=True, slots=True)
class PublishedProblem:
    """One thing wrong with what is published: a word for its kind, and the sentence."""

    verdict: str
    message: str

    def to_json(self) -> dict[str, str]:
        return {"verdict": self.verdict, "message": self.message}


@dataclass(slots=True)
class PublishedReport:
    """What was found about the published results."""

    runs: int = 0
    files: int = 0
    problems: list[PublishedProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "files": self.files,
            "problems": [p.to_json() for p in self.problems],
            "notes": self.notes,
        }


def check_published(
    home: Path, day: date | None = None, trusted: Sequence[VerifierKey] | None = None
) -> PublishedReport:
    """All of it, or with a day the files of that day's runs. `trusted`: keys that somebody knows;
    else those that the house itself says are its own."""
    report = PublishedReport()
    warehouse = warehouse_of(home)
    if not warehouse.root.exists():
        return report
    chain = _Chain(home, trusted)
    report.problems += chain.problems
    report.notes += chain.notes
    if (doubt := catalogue_doubt(home)) is not None:
        report.problems.append(PublishedProblem("catalogue_differs", doubt))
    by_run = {link.run: link for link in chain.links if link.run}
    unsigned = 0
    for folder in warehouse.run_folders(day):
        link = by_run.get(folder.run)
        if link is not None:
            report.runs += 1
            report.files += len(link.subjects) - 1
            report.problems += files_against(folder, link)
        elif _signed_once(folder):
            says = f"{folder.record}: the run is not in {chain_file(home)}, and was when it ended"
            report.problems.append(PublishedProblem("run_not_signed", says))
        elif folder.record.exists():
            unsigned += 1
    if unsigned:
        report.notes.append(f"{unsigned} runs are unsigned, from before runs were signed")
    report.problems += _days_missing(home, chain.last_by_day(), day)
    return report


def published_problems(home: Path, days: Sequence[date]) -> Iterator[PublishedProblem]:
    """What is wrong with the published results of some days; with the chain as a whole too."""
    if not warehouse_of(home).root.exists():
        return
    chain = _Chain(home, None)
    yield from chain.problems
    if (doubt := catalogue_doubt(home)) is not None:
        yield PublishedProblem("catalogue_differs", doubt)
        return
    last = chain.last_by_day()
    for day in days:
        yield from _days_missing(home, last, day)
        if day in last:
            folder = warehouse_of(home).run_folder(day, last[day].run or "")
            if folder.path.is_dir():
                yield from files_against(folder, last[day])


class _Chain:
    """The chain walked from its beginning, with what is wrong with it."""

    def __init__(self, home: Path, trusted: Sequence[VerifierKey] | None) -> None:
        self._path = chain_file(home)
        self.problems: list[PublishedProblem] = []
        self.notes: list[str] = []
        self.links: list[RunLink] = []
        keys = house_keys(home) if trusted is None else list(trusted)
        signers: set[str] = set()
        before: str | None = NOTHING
        for number, link in links(home):
            if link is None:
                self._wrong("chain_broken", number, "it is no statement of the house any more")
                before = None
                continue
            if before is not None and (link.before, link.number) != (before, number):
                self._wrong(
                    "chain_broken", number,
                    "it does not go on from the line before: that one was changed, taken out or "
                    "put in",
                )  # fmt: skip
            before = link.sha256
            self._signed(number, link, keys, signers, known=trusted is not None)
            self.links.append(link)
        if signers and trusted is None:
            self.notes.append(
                f"the runs are signed by {', '.join(sorted(signers))}, which is the house's own "
                f"word: --trust FILE holds them against keys that you know"
            )

    def _signed(
        self, number: int, link: RunLink, keys: list[VerifierKey], signers: set[str], *, known: bool
    ) -> None:
        try:
            key = link.statement.signed_by(keys)
        except TrustError as error:
            self._wrong("wrong_signature", number, f"{link.name} was changed: {error}")
            return
        if key is not None:
            signers.add(f"{key.name}+{key.number.hex()}")
            return
        by = ", ".join(name for name, _ in link.statement.signatures) or "nobody"
        whose = "you trust" if known else "the house has (house.pub)"
        self._wrong("unknown_key", number, f"{link.name} is signed by {by}, no key that {whose}")

    def _wrong(self, verdict: str, number: int, says: str) -> None:
        message = f"{self._path}, line {number}: {says}"
        self.problems.append(PublishedProblem(verdict, message))

    def last_by_day(self) -> dict[date, RunLink]:
        """The run that counts for each day, by the chain."""
        gone = {link.withdraws for link in self.links}
        return {
            link.day: link
            for link in self.links
            if link.day is not None and link.number not in gone
        }


def files_against(folder: RunFolder, link: RunLink) -> Iterator[PublishedProblem]:
    """A run's files against what was signed for it."""
    inside = f"{folder.path.parent.name}/{folder.path.name}/"
    signed = {n.removeprefix(inside): d for n, d in link.subjects.items() if n.startswith(inside)}
    for name, digest in signed.items():
        path = folder.path / name
        if not path.is_file():
            yield PublishedProblem("file_missing", f"{path}: the file is gone")
        elif file_sha256(path).hex() != digest:
            says = f"{path}: it was changed after {link.name} of {link.at}"
            yield PublishedProblem("file_differs", says)
    for path in sorted(folder.path.iterdir()):
        if path.is_file() and path.name not in signed and path.name not in UNLISTED:
            says = f"{path}: nobody signed for this file of {link.name}"
            yield PublishedProblem("file_unknown", says)


def _signed_once(folder: RunFolder) -> bool:
    """Whether a run's own record says that it is part of a chain."""
    try:
        record = read_record(folder)
    except EvenhandError:
        return True
    return record is not None and record.before is not None


def _days_missing(
    home: Path, last: dict[date, RunLink], day: date | None
) -> Iterator[PublishedProblem]:
    """Days of the chain that the catalogue has no more, or with another run."""
    warehouse = warehouse_of(home)
    try:
        now = {p.day: p.run for p in published(warehouse) if p.current}
    except WarehouseError as error:
        yield PublishedProblem("catalogue_unreadable", str(error))
        return
    for one, link in sorted(last.items()):
        if day is not None and one != day:
            continue
        if now.get(one) != link.run:
            has = f"has run {now[one]} for it" if one in now else "does not have the day"
            says = f"day {one}: {link.name} of {link.at} counts, and the catalogue {has}"
            yield PublishedProblem("day_missing", says)
        if not warehouse.run_folder(one, link.run or "").record.exists():
            says = f"day {one}: the files of {link.name} of {link.at} are gone"
            yield PublishedProblem("run_missing", says)
