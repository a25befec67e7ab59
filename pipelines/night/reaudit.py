"""Many days audited again in one job, published together or not at all.

A reading or a rulebook has changed, or the program: what was published stays as it is until every
day of the period is done; then one catalogue names all the new runs.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import pyarrow.parquet as pq

from events.archive.reader import Archive
from events.contract import did_you_mean
from events.errors import InputError
from events.runtime.workers import Tell
from events.settings import Settings
from pipelines.engines.base import Engine
from pipelines.engines.choose import engine_of
from pipelines.engines.local import LocalEngine
from pipelines.night import stages
from pipelines.night.answered import same_files, written_by
from pipelines.night.before import pin_before
from pipelines.night.closing import Closed, close_all
from pipelines.night.context import Night, begin
from pipelines.night.currencies import currencies_of
from pipelines.night.failing import told_if_failed
from pipelines.night.far import audit_all
from pipelines.night.lineage import tell_complete
from pipelines.night.summary import NightSummary, summarise
from pipelines.night.witness import tell_witnesses
from pipelines.warehouse.catalogue import publish_many
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.locks import day_locks
from pipelines.warehouse.sweep import sweep
from replay.registry import IDS

Said = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ReauditedDay:
    """One day: what its new run says, and what differs from the run that counted before."""

    day: date
    run: str
    summary: NightSummary
    before: NightSummary | None
    changes: dict[str, Any]
    rounds: int

    def to_json(self) -> dict[str, Any]:
        return {
            "day": self.day.isoformat(),
            "run": self.run,
            "rounds": self.rounds,
            "findings": self.summary.findings,
            "open": self.summary.open,
            "findings_before": None if self.before is None else self.before.findings,
            "by_currency": self.summary.by_currency,
            "by_currency_before": None if self.before is None else self.before.by_currency,
            "new": self.changes["new"]["count"],
            "gone": self.changes["gone"]["count"],
            "changed": self.changes["changed"]["count"],
        }


@dataclass(slots=True)
class Reaudit:
    """A period audited again."""

    days: list[ReauditedDay] = field(default_factory=list)
    empty: list[date] = field(default_factory=list)
    passed_over: list[date] = field(default_factory=list)

    @property
    def open(self) -> int:
        return sum(day.summary.open for day in self.days)

    def total(self, name: str) -> int:
        return sum(day.changes[name]["count"] for day in self.days)

    def money(self, *, before: bool) -> dict[str, dict[str, int]]:
        """What was paid too much and too little in the period, each currency by itself."""
        out: dict[str, dict[str, int]] = {}
        for day in self.days:
            summary = day.before if before else day.summary
            for currency, sums in ({} if summary is None else summary.by_currency).items():
                kept = out.setdefault(currency, {"overpaid": 0, "underpaid": 0})
                for name in kept:
                    kept[name] += sums[name]
        return out

    def to_json(self) -> dict[str, Any]:
        return {
            "days": [day.to_json() for day in self.days],
            "days_without_activity": [day.isoformat() for day in self.empty],
            "days_passed_over": [day.isoformat() for day in self.passed_over],
            "rounds": sum(day.rounds for day in self.days),
            "open": self.open,
            "new": self.total("new"),
            "gone": self.total("gone"),
            "changed": self.total("changed"),
            "money": self.money(before=False),
            "money_before": self.money(before=True),
        }


def reaudit(
    settings: Settings,
    days: Sequence[date],
    book: str | None = None,
    *,
    with_suites: bool = True,
    progress: Tell = lambda events: None,
    say: Said = lambda text: None,
) -> Reaudit:
    """Audit these days again by the settings given. `book`: only days on which it was played."""
    out = Reaudit()
    if book is not None and book not in IDS:
        known = did_you_mean(book, IDS)
        raise InputError(f"no rulebook {book}{known}; evenhand rulebooks lists them")
    with ExitStack() as stack:
        nights: list[Night] = []
        together = str(uuid.uuid4())  # the id of the whole, for those who follow its lineage
        stack.enter_context(told_if_failed(nights))
        chosen = _chosen(settings, days, book, out)
        stack.enter_context(day_locks(warehouse_of(settings.home), chosen))
        for day in chosen:
            night = begin(settings, day, secrets.token_hex(4))
            nights.append(night)
            night.add(job="reaudit", parent=together)
            stages.pin_day(night)
        if not nights:
            return out
        engine = stack.enter_context(engine_of(settings.engine))
        say(f"auditing {len(nights)} days")
        written = _audit(engine, nights, progress)
        _go_on(nights)
        say(f"closing {len(nights)} days")
        closed = close_all(_closing(engine, settings), nights, with_suites=with_suites)
        out.days = [_told(night) for night in nights]
        _publish(settings, nights, written, closed)
    return out


def _publish(
    settings: Settings,
    nights: Sequence[Night],
    written: Sequence[dict[str, str]],
    closed: Sequence[Closed],
) -> None:
    """One catalogue with all the new runs, once each has the files that its machines wrote."""
    made = []
    for night, parts, one in zip(nights, written, closed, strict=True):
        kept = {n: sha256 for n, sha256 in parts.items() if n in one.files}
        same_files(night.folder.path, kept, one.files)
        made.append((night.folder, stages.finish(night, one.listed)))
    publish_many(nights[0].warehouse, made)
    for night in nights:
        night.log.info("night.published", together=len(nights))
        tell_complete(night)
    retention = timedelta(days=settings.warehouse_retention_days)
    sweep(nights[0].warehouse, retention, held=nights[-1].day)
    tell_witnesses(nights[-1], f"{len(nights)} runs published")


def _closing(engine: Engine, settings: Settings) -> Engine:
    """A close asks the catalogue and the days before: machines that see no folder of the house
    can't do it, so this one does."""
    return LocalEngine() if settings.object_store else engine


def _chosen(settings: Settings, days: Sequence[date], book: str | None, out: Reaudit) -> list[date]:
    """The days of the archive, and of those the ones on which the rulebook was played."""
    chosen = []
    with Archive(settings.home / "archive") as archive:
        known = set(archive.days())
        if not known & set(days):
            has = f"it has {min(known)} to {max(known)}" if known else "it is empty"
            raise InputError(f"{days[0]} to {days[-1]}: the archive has nothing of it; {has}")
        for day in days:
            if day not in known:
                out.empty.append(day)
            elif book is not None and not _was_played(archive, day, book):
                out.passed_over.append(day)
            else:
                chosen.append(day)
    return chosen


def _was_played(archive: Archive, day: date, book: str) -> bool:
    found = archive.read_tables(day, list(archive.tables_of(day)), ["table_id", "seq", "rulebook"])
    return book in set(found["rulebook"].unique().to_pylist())


def _audit(engine: Engine, nights: Sequence[Night], progress: Tell) -> list[dict[str, str]]:
    """All groups of all days in one job of the engine; what they wrote, day by day."""
    tasks = [(night, task) for night in nights for task in stages.tasks_of(night)]
    answers = audit_all(engine, tasks, progress)
    written = []
    for night in nights:
        own = [a for (n, _), a in zip(tasks, answers, strict=True) if n is night]
        stages.note_audit(night, own)
        written.append(written_by(own))
    return written


def _go_on(nights: Sequence[Night]) -> None:
    """The meters, day by day, each from the day before as this job has it; then the house's log,
    witnessed once for all."""
    for night in nights:
        together = {n.day: n.folder.run for n in nights if n.day < night.day}
        with Archive(night.archive) as archive:
            night.add(day_before=pin_before(archive, night, together))
        stages.go_on(night)
    tell_witnesses(nights[0], f"{len(nights)} days audited again")
    for night in nights[1:]:
        night.add(witnessed=nights[0].state()["witnessed"])


def _told(night: Night) -> ReauditedDay:
    old = stages.before(night)
    state = night.state()
    return ReauditedDay(
        day=night.day,
        run=night.folder.run,
        summary=_summary(night),
        before=None if old is None else _summary(Night(night.settings, old)),
        changes=state["changes"],
        rounds=state["counts"]["rounds"],
    )


def _summary(night: Night) -> NightSummary:
    found = pq.read_table(night.folder.small("findings"), partitioning=None)
    return summarise(found, currencies_of(night))
