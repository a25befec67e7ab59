"""bench/engine.py: how it works out a year, and that it counts every process of a job."""

from __future__ import annotations

import ctypes
import subprocess
import sys

from bench.engine import (
    CostLine,
    YearCost,
    _busy_of_children,
    _children,
    _wait_for_all,
    year_table,
)

_SPINS = "import time\nwhile time.process_time() < 0.5: pass"


def test_a_year_is_worked_out_from_what_a_day_costs() -> None:
    """An hour of audit a day and a minute of close, half a minute on the driver; no overhead."""
    costs = YearCost(CostLine(0, 3600 / 24e6), CostLine(60, 0), CostLine(30, 0), 1.0)
    on_100 = costs.on(100)
    assert round(on_100["audit"], 6) == 3.65
    assert round(on_100["close"], 6) == round(4 * 60 / 3600, 6), "four waves of a hundred days"
    assert round(on_100["driver"], 6) == round(365 * 30 / 3600, 6)
    assert year_table(costs, [100, 10_000])[2].endswith("| audit |")
    assert year_table(costs, [100, 10_000])[3].endswith("| driver |")


def test_a_line_through_two_sizes() -> None:
    assert CostLine.through((10, 3.0), (20, 5.0)) == CostLine(1.0, 0.2)
    assert CostLine.through((10, 3.0), (20, 2.0)) == CostLine(2.0, 0.0), "no cost falls with events"


def test_grandchildren_that_nobody_waited_for_are_counted() -> None:
    """As Spark's are: the process that started one ends first. Who was there before is not waited
    for."""
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    try:
        others, before = _children(), _busy_of_children()
        leaves = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {_SPINS!r}])"
        subprocess.run([sys.executable, "-c", leaves], check=True)
        _wait_for_all(others)
        assert _busy_of_children() - before >= 0.5
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()
        ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)
