"""Locks over many days: years of them, in a process that may have few files open."""

from __future__ import annotations

import resource
from datetime import timedelta
from pathlib import Path

import pytest

from pipelines.warehouse.errors import DayBusyError
from pipelines.warehouse.layout import Warehouse
from pipelines.warehouse.locks import day_lock, day_locks
from tests.pipelines.kit import DAY


def test_years_of_days_are_held_by_a_process_with_few_files(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = min(before[0], 256)
    days = [DAY + timedelta(days=n) for n in range(3 * 365)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, before[1]))
    try:
        with day_locks(warehouse, days):
            for day in (days[0], days[-1]):
                with pytest.raises(DayBusyError), day_lock(warehouse, day):
                    pass
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (few, before[1])
        with day_lock(warehouse, days[-1]):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
