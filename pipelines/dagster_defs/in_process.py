"""The nightly job run here and now, recorded in Dagster as if the daemon had started it."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from events.errors import EvenhandError
from events.settings import Settings
from pipelines.night.summary import SEVERITIES, NightSummary, summarise
from pipelines.warehouse.changes import AROUND_CHANGED

if TYPE_CHECKING:
    import pyarrow as pa
    from dagster import ExecuteInProcessResult

    from pipelines.warehouse.layout import RunFolder
    from pipelines.warehouse.record import RunRecord

_KINDS_SHOWN = 12
_GONE_SHOWN = 5
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class NightFailedError(EvenhandError):
    """The run did not come to its end; nothing of it was published."""


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """A night that came to its end, as the command tells it."""

    record: RunRecord
    summary: NightSummary
    folder: RunFolder
    catalogue: str
    rounds: dict[str, int]
    tables: int
    failed_checks: tuple[str, ...]
    alerts_missed: tuple[str, ...]
    warnings: tuple[str, ...]
    witnessed: tuple[str, ...] = ()  # of the state that has this run in it

    @property
    def exit_code(self) -> int:
        return 1 if self.summary.open else 0

    def to_json(self) -> dict[str, Any]:
        s, r = self.summary, self.record
        return {
            "day": r.day,
            "run": r.run,
            "dagster_run": r.dagster_run,
            "exit_code": self.exit_code,
            "revision": r.revision,
            "complete": r.complete,
            "warnings": list(self.warnings),
            "tables": self.tables,
            "events": r.counts["events"],
            "rounds": self.rounds,
            "lines": r.counts["lines"],
            "settlements": r.counts["settlements"],
            "findings": {
                "total": s.findings,
                "open": s.open,
                "waived": s.waived,
                "by_severity": s.by_severity,
                "by_kind": s.by_kind,
                "overpaid": s.overpaid,
                "underpaid": s.underpaid,
                "by_currency": s.by_currency,
            },
            "failed_checks": list(self.failed_checks),
            "changes": r.changes,
            "alerts_missed": list(self.alerts_missed),
            "witnessed": list(self.witnessed),
            "report": str(self.folder.report("html")),
            "warehouse": self.catalogue,
            "seconds": r.seconds,
        }

    def findings(self) -> pa.Table:
        """Every finding of the day."""
        return read_small(self.folder, "findings")

    def lines(self) -> Iterator[str]:
        """What a person reads in ten seconds."""
        s, c = self.summary, self.record.counts
        yield f"gaming day {self.record.day}: {_verdict(s)}"
        for warning in self.warnings:
            yield f"  ! {warning}"
        states = ", ".join(f"{n:,} {name}" for name, n in self.rounds.items() if n)
        rounds = f"{sum(self.rounds.values()):,} rounds" + (f" ({states})" if states else "")
        yield f"  {self.tables:,} tables, {c['events']:,} events, {rounds}"
        if s.findings:
            by = ", ".join(f"{s.by_severity[n]:,} {n}" for n in SEVERITIES if s.by_severity[n])
            waived = f", {s.waived:,} waived" if s.waived else ""
            yield f"  {s.findings:,} findings: {by}{waived}"
            yield f"  money at stake: {s.money_text()}"
        for name in self.failed_checks:
            yield f"  check failed: {name}"
        yield f"  {_changes(self.record.changes)}"
        yield from _gone(self.record.changes)
        for sentence in (*self.witnessed, *self.alerts_missed):
            yield f"  {sentence}"
        yield f"report:    {self.folder.report('html')}"
        yield f"warehouse: {self.catalogue}"


def _verdict(s: NightSummary) -> str:
    if s.open:
        return f"{s.open:,} findings of severity money or integrity are open"
    return "clean" if not s.findings else "nothing open of severity money or integrity"


def _changes(changes: dict[str, Any]) -> str:
    if not changes.get("since"):
        return "first run of this day"
    n = {k: changes[k]["count"] for k in ("new", "gone", "changed")}
    if not any(n.values()):
        return f"no finding differs from run {changes['since']}"
    return (
        f"since run {changes['since']}: {n['new']:,} findings new, {n['gone']:,} gone, "
        f"{n['changed']:,} changed"
    )


def _gone(changes: dict[str, Any]) -> Iterator[str]:
    """What was found before and is no more, and why; a finding never goes without a word."""
    lost = changes.get("gone_findings", [])
    for finding in lost[:_GONE_SHOWN]:
        yield f"  gone: {finding['id']} {finding['kind']}: {finding['message']}"
    if lost:
        more = changes["gone"]["count"] - min(len(lost), _GONE_SHOWN)
        why = "; ".join(changes.get("reasons", [])) or AROUND_CHANGED
        yield f"  why: {why}" + (f" ({more:,} more are gone)" if more else "")


def last_complete_day(settings: Settings) -> date:
    """The last day of the archive that is over; days that only a wrong clock made do not count."""
    from events.archive.reader import Archive

    with Archive(settings.home / "archive") as archive:
        days = archive.days(complete=True)
        if not days:
            has = archive.days()
            more = (
                f"day {has[-1]} is still running; --day {has[-1]} runs it as it is"
                if has
                else ("it is empty; evenhand ingest fills it")
            )
            raise EvenhandError(f"{settings.home / 'archive'}: no complete gaming day yet: {more}")
    return days[-1]


def run_nightly(settings: Settings, day: date, command: str = "nightly") -> NightOutcome:
    """Run the job of a day in this process. Raises NightFailedError where it does not end."""
    _check(settings, day)
    os.environ["EVENHAND_HOME"] = str(settings.home.absolute())  # the job reads its settings itself
    from pipelines.night.pool import one_more_process
    from pipelines.night.quality import prepare_suites

    early = one_more_process(prepare_suites)
    with early, _progress(settings, day) as progress, _quiet():
        from pipelines.dagster_defs.dead_runs import bury_dead_runs
        from pipelines.dagster_defs.definitions import defs
        from pipelines.dagster_defs.home import open_instance
        from pipelines.dagster_defs.resource import PROGRESS
        from pipelines.dagster_defs.schedule import day_tags

        PROGRESS.set(progress)
        with _said_clearly(settings, day), open_instance(settings.home) as instance:
            bury_dead_runs(instance, settings.home)
            result = defs.resolve_job_def("nightly").execute_in_process(
                instance=instance,
                partition_key=day.isoformat(),
                run_config=_QUIET,
                tags={**day_tags(day), "evenhand/command": command},
                raise_on_error=False,
            )
    if not result.success:
        raise _failed(settings, day, result)
    return outcome_of(settings, day, result.run_id)


def _check(settings: Settings, day: date) -> None:
    """Say what is wrong before Dagster is started, which takes seconds."""
    from events.archive.reader import Archive
    from pipelines.warehouse.catalogue import published
    from pipelines.warehouse.layout import warehouse_of

    with Archive(settings.home / "archive") as archive:
        days = archive.days()
    if days and day < days[0]:  # no partition of the job either
        raise EvenhandError(f"day {day}: the archive begins with {days[0]}, and has nothing of it")
    published(warehouse_of(settings.home))
    if datetime.now(UTC) < settings.gaming_day.start_of(day):
        raise EvenhandError(f"day {day}: this gaming day has not begun yet")


def read_small(folder: RunFolder, name: str) -> pa.Table:
    """One of a run's small tables."""
    import pyarrow.parquet as pq

    return pq.read_table(folder.small(name), partitioning=None)


def outcome_of(settings: Settings, day: date, dagster_run: str) -> NightOutcome:
    """What a finished run says, read from its files."""
    from pipelines.night.context import Night
    from pipelines.night.currencies import currencies_of
    from pipelines.warehouse.layout import warehouse_of
    from pipelines.warehouse.record import read_record

    warehouse = warehouse_of(settings.home)
    folder = next(f for f in warehouse.run_folders(day) if f.run.endswith(dagster_run[:8]))
    record = read_record(folder)
    if record is None:
        raise NightFailedError(f"{folder.path}: the run left no record; run it again")
    night = Night(settings, folder)
    state = night.state()
    figures = read_small(folder, "figures")
    rounds = {
        n: sum(v or 0 for v in figures[n].to_pylist())
        for n in ("settled", "void", "incomplete", "unreplayable")
    }
    return NightOutcome(
        record=record,
        summary=summarise(read_small(folder, "findings"), currencies_of(night)),
        folder=folder,
        catalogue=str(warehouse.catalogue),
        rounds=rounds,
        tables=len(state["pinned"]["tables"]),
        failed_checks=tuple(state.get("failed_checks", ())),
        alerts_missed=tuple(state.get("alerts_missed", ())),
        warnings=tuple(state.get("warnings", ())),
        witnessed=tuple(state.get("witnessed", {}).get("sentences", ())),
    )


def _failed(settings: Settings, day: date, result: ExecuteInProcessResult) -> NightFailedError:
    """One sentence out of Dagster's events, told to whom the settings name."""
    from pipelines.alerts.alert import failure_alert
    from pipelines.alerts.keep import tell_kept

    why = _why(result)
    tell_kept(settings, result.run_id, failure_alert(day.isoformat(), result.run_id, why))
    return NightFailedError(why if why.startswith(f"day {day}") else f"day {day}: {why}")


def _why(result: ExecuteInProcessResult) -> str:
    from dagster import AssetCheckSeverity

    blocked = [
        f"{e.check_name}: {e.description}"
        for e in result.get_asset_check_evaluations()
        if not e.passed and e.blocking and e.severity is AssetCheckSeverity.ERROR
    ]
    if blocked:
        return (
            f"the day is not published, because a check that must hold does not: "
            f"{'; '.join(blocked)}; what was published before stays in place"
        )
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.user_failure_data and data.user_failure_data.description:
                return str(data.user_failure_data.description)
            if data.error:
                cause = data.error.cause or data.error
                return f"step {event.step_key} failed: {cause.message.strip()}"
    return f"the run failed; evenhand up shows run {result.run_id}"


@contextlib.contextmanager
def _said_clearly(settings: Settings, day: date) -> Iterator[None]:
    """Dagster keeps its records in SQLite, which has errors of its own for a full disk."""
    from sqlalchemy.exc import OperationalError

    try:
        yield
    except OperationalError as error:
        raise NightFailedError(
            f"day {day}: {settings.home / 'dagster'}: Dagster's records of the run can't be "
            f"written: {error.orig}; what is published is whole as it is, make room and run "
            f"evenhand nightly --day {day} again"
        ) from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dagster's own log goes to its records, not between our lines; nor what it tells stderr where
    its records can't be written."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def _progress(settings: Settings, day: date) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda events: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from events.archive.errors import UnknownDayError
    from events.archive.reader import Archive

    total = None
    with contextlib.suppress(UnknownDayError), Archive(settings.home / "archive") as archive:
        total = sum(archive.tables_of(day).values())
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(f"auditing {day}", total=total)
        yield lambda events: bar.update(task, advance=events)
