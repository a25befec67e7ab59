"""The checks of a day: our reconciliation, and the Great Expectations suites.

A suite that fails says that a table is not what its schema promises. What a casino's table did
wrong is a finding, never a failed check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from pipelines.night.context import Night
from pipelines.night.reconcile import reconcile
from pipelines.warehouse.words import DATA_QUALITY


@dataclass(frozen=True, slots=True)
class Check:
    """One check and what came of it."""

    suite: str
    name: str
    passed: bool
    blocking: bool
    observed: str
    failed_rows: int | None = None
    examples: tuple[str, ...] = ()


def run_checks(night: Night) -> list[Check]:
    """Everything that is asked of a day before it is published."""
    with night.timed("reconcile"):
        own = reconciliation(night)
    with night.timed("great_expectations"):
        return own + suites(night)


def reconciliation(night: Night) -> list[Check]:
    state = night.state()
    return [
        Check("reconciliation", c.name, c.agrees, True, c.text, None, c.examples)
        for c in reconcile(night.folder.stage, state["pinned"], state["counts"])
    ]


def suites(night: Night) -> list[Check]:
    """The suites of checks/quality, one row per expectation."""
    return []


def to_rows(day: date, checks: Sequence[Check]) -> pa.Table:
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
