"""The whole night without an orchestrator: what the benchmark measures and the tests kill."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import nullcontext
from datetime import date

from events.runtime.workers import Tell
from events.settings import Settings
from pipelines.night import stages
from pipelines.night.context import Night, begin
from pipelines.night.failing import told_if_failed
from pipelines.night.pool import one_more_process
from pipelines.night.quality import prepare_suites
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.locks import day_lock

Between = Callable[[str, Night], None]


def run_day(
    settings: Settings,
    day: date,
    *,
    with_suites: bool = True,
    progress: Tell = lambda events: None,
    after: Between = lambda stage, night: None,
) -> Night:
    """Every stage in order. `after` is called between them, with the name of the one that ended."""
    early = one_more_process(prepare_suites) if with_suites else nullcontext()
    with early, day_lock(warehouse_of(settings.home), day):
        night = begin(settings, day, secrets.token_hex(4))
        with told_if_failed([night]):
            _run(night, with_suites, progress, after)
    return night


def _run(night: Night, with_suites: bool, progress: Tell, after: Between) -> None:
    stages.pin_day(night)
    after("pin", night)
    stages.audit_day(night, progress)
    after("audit", night)
    stages.find_day(night)
    after("find", night)
    stages.hold_back(stages.check_day(night, with_suites=with_suites))
    after("check", night)
    stages.figure_day(night)
    after("figure", night)
    stages.report_day(night)
    after("report", night)
    stages.publish_day(night)
    after("publish", night)
    stages.alert_day(night)
