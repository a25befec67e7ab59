"""A period audited again on a machine to which Dagster submits.

The process there is `evenhand reaudit`, which tells Dagster what came of it: this asset's
materialization with the figures of the period. Here the machine is this one and the process a
child; for Kubernetes, Databricks or EMR take the Pipes client of that name and leave the rest. The
machine needs evenhand, dagster-pipes and the home folder.

    dagster dev -f examples/reaudit_by_pipes.py
"""

import os
import sys

import dagster as dg

EVENHAND = [sys.executable, "-c", "from pipelines.cli.main import main; main()"]
ENGINE = os.environ.get("EVENHAND_ENGINE", "local")


@dg.asset(
    partitions_def=dg.DailyPartitionsDefinition(start_date="2026-01-01"),
    backfill_policy=dg.BackfillPolicy.single_run(),  # all days in one job, published together
)
def reaudited_elsewhere(
    context: dg.AssetExecutionContext, pipes: dg.PipesSubprocessClient
) -> dg.MaterializeResult:
    """The days of the run, from the first to the last."""
    first, last = context.partition_keys[0], context.partition_keys[-1]
    command = [*EVENHAND, "reaudit", "--from", first, "--to", last, "--engine", ENGINE]
    return pipes.run(command=command, context=context).get_materialize_result()


defs = dg.Definitions(assets=[reaudited_elsewhere], resources={"pipes": dg.PipesSubprocessClient()})
