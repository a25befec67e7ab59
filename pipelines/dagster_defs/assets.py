"""The night as Dagster assets, one partition per gaming day. The work is in pipelines/night.

No postponed annotations here: Dagster reads the types of its functions' parameters themselves.
"""

import hashlib
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, cast

import dagster as dg

from events.archive.reader import Archive
from events.errors import EvenhandError
from events.settings import Settings, load_settings
from pipelines.dagster_defs.resource import PROGRESS, NightResource
from pipelines.dagster_defs.words import (
    check_metadata,
    findings_metadata,
    report_metadata,
)
from pipelines.night import stages
from pipelines.night.currencies import currencies_of
from pipelines.night.quality import QualityCheck
from pipelines.night.summary import summarise
from pipelines.warehouse.layout import PARTS
from pipelines.warehouse.record import fingerprints

warnings.filterwarnings("ignore", category=dg.BetaWarning)  # backfill policies are one
warnings.filterwarnings("ignore", category=dg.PreviewWarning)  # checks by partition are another

WITHOUT_ARCHIVE = date(2000, 1, 1)
"""Where nothing was taken in yet, any day may be the first."""
OWNERS = ["team:compliance"]

RETRY = dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL)
ONE_DAY_A_RUN = dg.BackfillPolicy.multi_run(max_partitions_per_run=1)
"""A backfill is one run per day, so that a day that is held back holds back no other."""


def first_day(settings: Settings) -> date:
    """The first day that the archive has something of, as it is when Dagster loads this."""
    root = settings.home / "archive"
    if not (root / "journal.sqlite").exists():
        return WITHOUT_ARCHIVE
    try:
        with Archive(root) as archive:
            days = archive.days()
    except (EvenhandError, sqlite3.Error):  # the run that wants it says what is wrong
        return WITHOUT_ARCHIVE
    return days[0] if days else WITHOUT_ARCHIVE


def gaming_days(settings: Settings) -> dg.DailyPartitionsDefinition:
    """The house's days, the running one included."""
    start = settings.gaming_day_start
    return dg.DailyPartitionsDefinition(
        start_date=first_day(settings).isoformat(),
        hour_offset=start.hour,
        minute_offset=start.minute,
        timezone=settings.timezone.key,
        end_offset=1,
    )


def rules_version() -> str:
    """What the answers rest on: a changed rule or reading shows every day as stale."""
    known = sorted(fingerprints().items())
    readings = sorted(load_settings().readings.items())
    return hashlib.sha256(repr((known, readings)).encode()).hexdigest()[:16]


DAYS = gaming_days(load_settings())
RULES = rules_version()
_COMMON: dict[str, Any] = {
    "partitions_def": DAYS,
    "retry_policy": RETRY,
    "backfill_policy": ONE_DAY_A_RUN,
    "group_name": "night",
}


def night_asset(**more: Any) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """An asset of the night: by gaming day, tried again where it may help."""
    return cast(
        "Callable[[Callable[..., Any]], dg.AssetsDefinition]",
        dg.asset(**_COMMON, owners=OWNERS, **more),
    )


def _derived(name: str, deps: list[str], description: str) -> dg.AssetSpec:
    return dg.AssetSpec(name, deps=deps, description=description, owners=OWNERS, code_version=RULES)


_DERIVED = [
    _derived("rounds", ["archived_events"], "Every round and its status."),
    _derived("cards", ["archived_events"], "Every card drawn: a view."),
    _derived("bets", ["archived_events"], "Chips on the table: a view."),
    _derived("decisions", ["archived_events"], "Players' decisions: a view."),
    _derived("lines", ["rounds"], "What the rulebook gives, bet by bet."),
    _derived("settlements", ["rounds"], "What the table paid, bet by bet."),
]


@night_asset(kinds={"parquet"})
def archived_events(
    context: dg.AssetExecutionContext, night: NightResource
) -> dg.MaterializeResult[None]:
    """The archive's columns of the day, pinned: late events wait for the next run."""
    with night.said_clearly():
        pinned = stages.pin_day(night.begin(context))
    return dg.MaterializeResult(
        metadata={
            "events": pinned.events,
            "rounds opened": pinned.rounds_opened,
            "tables": len(pinned.tables),
            "revision": pinned.revision,
            "complete": pinned.complete,
        }
    )


@dg.multi_asset(specs=_DERIVED, name="replay_and_compare", **_COMMON)
def derived(
    context: dg.AssetExecutionContext, night: NightResource
) -> Iterator[dg.MaterializeResult[None]]:
    """Every round replayed by its rulebook and compared, on all cores."""
    with night.said_clearly():
        here = night.of(context)
        stages.audit_day(here, PROGRESS.get())
    counts = here.state()["counts"]
    for spec in _DERIVED:
        name = spec.key.to_user_string()
        known: dict[str, Any] = {"rows": counts[name]} if name in PARTS else {"view of": "events"}
        yield dg.MaterializeResult(asset_key=name, metadata=known)


@night_asset(
    deps=["lines", "settlements"],
    kinds={"parquet"},
    code_version=RULES,
    check_specs=[
        dg.AssetCheckSpec(
            "nothing_open",
            asset="findings",
            partitions_def=DAYS,
            description="No finding of severity money or integrity that nobody waived.",
        )
    ],
)
def findings(
    context: dg.AssetExecutionContext, night: NightResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Where play or record differ from the rulebook; tables, shoes, chain and meters."""
    with night.said_clearly():
        here = night.of(context)
        found = stages.find_day(here)
        summary = summarise(found, currencies_of(here))
    yield dg.MaterializeResult(metadata=findings_metadata(found, summary))
    yield dg.AssetCheckResult(
        check_name="nothing_open",
        asset_key="findings",
        passed=summary.open == 0,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{summary.open} open, {summary.money_text()}",
        metadata=findings_metadata(found, summary),
    )


@night_asset(
    deps=["findings"],
    kinds={"duckdb"},
    check_specs=[
        dg.AssetCheckSpec(
            "reconciliation",
            asset="data_quality",
            partitions_def=DAYS,
            blocking=True,
            description="Nothing was lost or doubled between archive and warehouse.",
        ),
        dg.AssetCheckSpec(
            "suites",
            asset="data_quality",
            partitions_def=DAYS,
            blocking=True,
            description="The Great Expectations suites of every table that is loaded.",
        ),
    ],
)
def data_quality(
    context: dg.AssetExecutionContext, night: NightResource
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """The suites and the reconciliation, asked before anybody sees the day."""
    with night.said_clearly():
        checks = stages.check_day(night.of(context))
    failed = [c for c in checks if not c.passed]
    yield dg.MaterializeResult(metadata={"checks": len(checks), "failed": len(failed)})
    own = [c for c in checks if c.suite == "reconciliation"]
    yield _result("reconciliation", own)
    yield _result("suites", [c for c in checks if c not in own])


def _result(name: str, checks: list[QualityCheck]) -> dg.AssetCheckResult:
    failed = [c for c in checks if not c.passed]
    blocking = any(c.blocking for c in failed)
    said = "; ".join(f"{c.name}: {c.observed}" for c in failed)
    return dg.AssetCheckResult(
        check_name=name,
        asset_key="data_quality",
        passed=not failed,
        severity=dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN,
        description=said or f"{len(checks)} checks hold",
        metadata=check_metadata(checks),
    )


@night_asset(deps=["data_quality"], kinds={"duckdb"})
def daily_figures(
    context: dg.AssetExecutionContext, night: NightResource
) -> dg.MaterializeResult[None]:
    """The day in figures, per table and rulebook."""
    with night.said_clearly():
        figures = stages.figure_day(night.of(context))
    return dg.MaterializeResult(metadata={"rows": figures.num_rows})


@night_asset(deps=["daily_figures"], kinds={"html"})
def report(context: dg.AssetExecutionContext, night: NightResource) -> dg.MaterializeResult[None]:
    """The page that the compliance team reads in the morning."""
    with night.said_clearly():
        here = night.of(context)
        stages.report_day(here)
    return dg.MaterializeResult(metadata=report_metadata(here))


@night_asset(deps=["report"], kinds={"duckdb"})
def warehouse(
    context: dg.AssetExecutionContext, night: NightResource
) -> dg.MaterializeResult[None]:
    """The catalogue that auditors open, with this day in it: the one step that they can see."""
    with night.said_clearly():
        here = night.of(context)
        record = stages.publish_day(here)
        stages.alert_day(here)
    tags = {f"evenhand/rulebook/{b}": f[:12] for b, f in record.rulebooks.items()}
    context.instance.add_run_tags(context.run.run_id, tags | {"evenhand/day": record.day})
    return dg.MaterializeResult(
        metadata={
            "catalogue": dg.MetadataValue.path(str(here.warehouse.catalogue)),
            "run": record.run,
            "code version": record.code_version,
            "rulebooks": dg.MetadataValue.json(record.rulebooks),
            "changes": dg.MetadataValue.json(record.changes),
            "seconds": dg.MetadataValue.json(record.seconds),
        }
    )


ASSETS = [archived_events, derived, findings, data_quality, daily_figures, report, warehouse]
