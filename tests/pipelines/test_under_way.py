"""A day is run once at a time, whoever asks for it."""

from __future__ import annotations

from datetime import date

import dagster as dg

from pipelines.dagster_defs.definitions import defs
from pipelines.dagster_defs.schedule import day_tags, under_way


def test_a_day_that_a_run_is_auditing_is_not_asked_for_twice() -> None:
    busy, ended = date(2026, 3, 10), date(2026, 3, 11)
    with dg.DagsterInstance.ephemeral() as instance:
        for day, status in (
            (busy, dg.DagsterRunStatus.STARTED),
            (ended, dg.DagsterRunStatus.SUCCESS),
        ):
            instance.create_run_for_job(
                defs.resolve_job_def("nightly"), status=status, tags=day_tags(day)
            )
        assert under_way(instance) == {busy}
