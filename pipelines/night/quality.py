"""The checks of a day: our reconciliation, and the Great Expectations suites.

A suite that fails says that a table is not what its schema promises. What a casino's table did
wrong is a finding, never a failed check. Where all rows that fail belong to rounds, it costs these
rounds alone (pipelines/night/odd_rounds.py); the day is held back where no round can be named.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pyarrow as pa

from checks.quality.result import Failing, QualityResult
from checks.quality.volume import Volume
from events.runtime import logs
from pipelines.night.context import Night
from pipelines.night.pool import in_another_process
from pipelines.night.reconcile import reconcile
from pipelines.night.volumes import keep_volumes, volumes_before
from pipelines.warehouse.layout import RunFolder
from pipelines.warehouse.words import DATA_QUALITY

WORTH_A_LOOK = frozenset({"volume"})
"""Suites that tell of an unusual day and hold back none."""
EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class QualityCheck:
    """One check and what came of it."""

    suite: str
    name: str
    passed: bool
    blocking: bool
    observed: str
    failed_rows: int | None = None
    examples: tuple[str, ...] = ()
    rounds: tuple[Failing, ...] = ()


def run_checks(night: Night, *, with_suites: bool = True) -> list[QualityCheck]:
    """Everything that is asked of a day before it is published."""
    with night.timed("reconcile"):
        own = reconciliation(night)
    if not with_suites or any(c.blocking and not c.passed for c in own):
        return own  # a day that is held back already needs no further reason
    with night.timed("great_expectations"):
        return own + suites(night)


def reconciliation(night: Night) -> list[QualityCheck]:
    state = night.state()
    return [
        QualityCheck(
            "reconciliation", c.name, c.agrees, not c.rounds, c.text, None, c.examples, c.rounds
        )
        for c in reconcile(
            night.folder.stage, state["pinned"], state["counts"], state.get("left_out", ())
        )
    ]


def suites(night: Night) -> list[QualityCheck]:
    """The suites of checks/quality, one row per expectation; an empty day has nothing to ask."""
    pinned = night.state()["pinned"]
    if not pinned["events"]:
        return []
    held: dict[str, int] = pinned["quarantined"]
    archived = {t: pinned["tables"].get(t, 0) + held.get(t, 0) for t in {*pinned["tables"], *held}}
    volumes = (keep_volumes(night), volumes_before(night))
    results, peak_kb, busy_s = in_another_process(
        _run_suites, night.settings.home, night.folder, archived, held, volumes
    )
    night.add(
        peak_kb={"great_expectations": peak_kb},
        busy_seconds={"great_expectations": round(busy_s, 3)},
    )
    return [_of_suite(r) for r in results]


def prepare_suites() -> None:
    """In the process that will run them, before it is asked."""
    from checks.quality.engine import import_library

    import_library()


def _run_suites(
    home: Path,
    folder: RunFolder,
    archived: dict[str, int],
    held: dict[str, int],
    volumes: tuple[list[Volume], dict[str, list[Volume]]],
) -> tuple[list[QualityResult], int, float]:
    """In a process of its own, because Great Expectations gives back neither memory nor modules."""
    from checks.quality import run_suites

    logs.keep_runs(home)
    today, history = volumes
    found = run_suites(
        folder.stage, folder.day, archived=archived, quarantined=held, today=today, history=history
    )
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    log = logs.logger("night").bind(run=folder.run, day=folder.day.isoformat())
    failed = sum(not result.success for result in found)
    log.info("suites.answered", expectations=len(found), failed=failed, peak_kb=peak_kb)
    return found, peak_kb, time.process_time()


def _of_suite(r: QualityResult) -> QualityCheck:
    shown = [" ".join(filter(None, (f.table_id, f.round, f.key))) for f in r.failing]
    return QualityCheck(
        suite=r.suite,
        name=f"{r.table}: {r.expectation}",
        passed=r.success,
        blocking=r.severity == "critical" and r.suite not in WORTH_A_LOOK and not _of_rounds(r),
        observed=r.error or r.observed,
        failed_rows=r.unexpected_count,
        examples=tuple(shown[:EXAMPLES]),
        rounds=r.rounds if r.severity == "critical" else (),
    )


def _of_rounds(r: QualityResult) -> bool:
    """Whether every row that failed belongs to a round that can be named."""
    return bool(r.rounds) and not r.nameless and r.error is None


def to_rows(day: date, checks: Sequence[QualityCheck]) -> pa.Table:
    rows = [
        {
            "day": day,
            "suite": c.suite,
            "check_name": c.name,
            "passed": c.passed,
            "blocking": c.blocking,
            "observed": c.observed,
            "failed_rows": c.failed_rows,
            "examples": list(c.examples),
        }
        for c in checks
    ]
    return pa.Table.from_pylist(rows, DATA_QUALITY)
