"""Where Dagster keeps its runs: a folder under the home, telemetry off, one run at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING

from events.runtime.durable import write_whole
from events.runtime.modes import make_folder, open_file

if TYPE_CHECKING:
    from dagster import DagsterInstance

_CONFIG = """\
# Written by evenhand, and only where there is none; change it as you like.
telemetry:
  enabled: false
nux:
  enabled: false
python_logs: # what a night says of itself stands on the run's page too
  managed_python_loggers: [evenhand]
  python_log_level: INFO
concurrency:
  runs:
    max_concurrent_runs: 1  # a run uses all cores by itself
"""


def dagster_home(home: Path) -> Path:
    """DAGSTER_HOME of a home folder, made where it is not there."""
    folder = (home / "dagster").absolute()
    make_folder(folder)
    config = folder / "dagster.yaml"
    if not config.exists():
        write_whole(config, _CONFIG.encode())
    return folder


def open_instance(home: Path) -> DagsterInstance:
    """Dagster's records of that home.

    One process at a time makes the databases: two that find none would both fill them, and
    neither could be opened again.
    """
    from dagster import DagsterInstance

    folder = dagster_home(home)
    fd = open_file(folder / "making.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        instance = DagsterInstance.from_config(str(folder))
        if not (folder / "made").exists():
            instance.get_runs(limit=1)
            instance.get_asset_keys()
            instance.all_instigator_state()
            write_whole(folder / "made", b"")
    finally:
        os.close(fd)
    return instance
