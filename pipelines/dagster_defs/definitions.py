"""What Dagster finds here: assets, jobs, schedule and sensors. It only wires."""

from __future__ import annotations

import dagster as dg

from pipelines.dagster_defs.assets import ASSETS
from pipelines.dagster_defs.dead_runs import dead_runs
from pipelines.dagster_defs.reaudit import REAUDIT, reaudited_days
from pipelines.dagster_defs.resource import NightResource
from pipelines.dagster_defs.schedule import NIGHTLY, SCHEDULES
from pipelines.dagster_defs.sensors import SENSORS

defs = dg.Definitions(
    assets=[*ASSETS, reaudited_days],
    jobs=[NIGHTLY, REAUDIT],
    schedules=SCHEDULES,
    sensors=[*SENSORS, dead_runs],
    resources={"night": NightResource()},
    executor=dg.in_process_executor,
)
