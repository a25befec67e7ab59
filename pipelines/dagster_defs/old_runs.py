"""Dagster's records of runs that are older than they have to be kept."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from dagster import DagsterRunStatus, RunsFilter

if TYPE_CHECKING:
    from dagster import DagsterInstance

ENDED = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]


def runs_before(instance: DagsterInstance, at: datetime) -> list[str]:
    """Runs that ended and were made before that moment."""
    wanted = RunsFilter(statuses=ENDED, created_before=at)
    return [record.dagster_run.run_id for record in instance.get_run_records(wanted)]


def forget_runs(instance: DagsterInstance, runs: list[str]) -> None:
    """What Dagster's pages show of them; the warehouse's own records stay."""
    for run in runs:
        instance.delete_run(run)
