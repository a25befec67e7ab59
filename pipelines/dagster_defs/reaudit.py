"""A period audited again as a job of its own: one run for all its days, published together.

No postponed annotations here: Dagster reads the types of its functions' parameters themselves.
"""

from datetime import date

import dagster as dg

from events.settings import load_settings
from pipelines.dagster_defs.assets import DAYS, OWNERS
from pipelines.dagster_defs.resource import PROGRESS, said_clearly
from pipelines.night.reaudit import Reaudit, reaudit

ALL_DAYS_IN_ONE_RUN = dg.BackfillPolicy.single_run()
"""Run by run the days would be published one by one, and a half would count beside the other."""


class ReauditConfig(dg.Config):
    """What `evenhand reaudit` takes as options; readings and engine are those of the settings."""

    rulebook: str | None = None


@dg.asset(
    partitions_def=DAYS,
    backfill_policy=ALL_DAYS_IN_ONE_RUN,
    group_name="reaudit",
    owners=OWNERS,
    kinds={"duckdb"},
)
def reaudited_days(
    context: dg.AssetExecutionContext, config: ReauditConfig
) -> dg.MaterializeResult[None]:
    """Every day of a period audited again, published together or not at all."""
    days = [date.fromisoformat(key) for key in context.partition_keys]
    with said_clearly():
        done = reaudit(
            load_settings(), days, config.rulebook, progress=PROGRESS.get(), say=context.log.info
        )
    return dg.MaterializeResult(metadata=_told(done))


def _told(done: Reaudit) -> dict[str, dg.MetadataValue]:
    known = done.to_json()
    by_day = known.pop("days")
    out = {name: dg.MetadataValue.int(n) for name, n in known.items() if isinstance(n, int)}
    rest = {name: said for name, said in known.items() if name not in out}
    return {
        "days": dg.MetadataValue.int(len(by_day)),
        **out,
        "day by day": dg.MetadataValue.json(by_day),
        "period": dg.MetadataValue.json(rest),
    }


REAUDIT = dg.define_asset_job(
    "reaudit",
    selection=dg.AssetSelection.assets(reaudited_days),
    description="A period audited again, published together or not at all.",
    executor_def=dg.in_process_executor,  # the engine starts processes of its own
)
