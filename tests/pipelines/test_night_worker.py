"""A worker of the night brings along nothing that its work does not need."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

from pipelines.night import stages
from pipelines.night.context import begin
from tests.command import ROOT
from tests.pipelines.kit import DAY, settings_of, simulated

WORK = """
import pickle, sys
from pathlib import Path
from pipelines.night.work import audit_group
opened = []
sys.addaudithook(lambda event, args: opened.append(args) if event == "sqlite3.connect" else None)
done = [audit_group(task) for task in pickle.loads(Path(sys.argv[1]).read_bytes())]
assert sum(one.counts["rounds"] for one in done) == 60, done
heavy = {"dagster", "duckdb", "great_expectations", "pandas", "pyspark", "scipy"}
sys.exit(" ".join([*sorted(heavy & set(sys.modules)), *map(str, opened)]) or 0)
"""


def test_a_worker_imports_no_pandas_and_opens_no_journal(tmp_path: Path) -> None:
    """pyarrow alone would import pandas, for the first list that becomes an array; what the journal
    says comes with the task."""
    simulated(tmp_path / "home")
    night = begin(settings_of(tmp_path / "home"), DAY, "ab12cd34")
    stages.pin_day(night)
    tasks = tmp_path / "tasks"
    tasks.write_bytes(pickle.dumps(stages.tasks_of(night)))
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(tasks)], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
