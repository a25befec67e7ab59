"""Old files go: those of superseded runs after the retention, those of dead runs at once.

An auditor's connection goes on with the catalogue it opened, and that one names the files of the
run before; so they stay for as long as the settings say.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta

from pipelines.warehouse.catalogue import published
from pipelines.warehouse.errors import DayBusyError
from pipelines.warehouse.layout import RunFolder, Warehouse
from pipelines.warehouse.locks import day_lock, publish_lock


def sweep(
    warehouse: Warehouse,
    retention: timedelta,
    now: datetime | None = None,
    held: date | None = None,
) -> list[RunFolder]:
    """Remove what no catalogue within the retention names; what was removed.

    `held`: the day whose lock the caller has; no other run can be at work on it.
    """
    at = now or datetime.now(UTC)
    with publish_lock(warehouse):
        known = {(p.day, p.run): p for p in published(warehouse)}
        if not known:
            return []
        gone = []
        for folder in warehouse.run_folders():
            found = known.get((folder.day, folder.run))
            if found is None:
                if _remove_if_dead(warehouse, folder, held):
                    gone.append(folder)
            elif found.superseded_at is not None and at - found.superseded_at > retention:
                remove(folder)
                gone.append(folder)
        for draft in warehouse.root.glob(".audit-*.duckdb*"):
            draft.unlink(missing_ok=True)
    return gone


def remove(folder: RunFolder) -> None:
    """The record first: without it the rest is nothing that anybody counts on."""
    folder.record.unlink(missing_ok=True)
    shutil.rmtree(folder.path, ignore_errors=True)


def _remove_if_dead(warehouse: Warehouse, folder: RunFolder, held: date | None) -> bool:
    """A run that was never published and does not run any more."""
    with ExitStack() as stack:
        if folder.day != held:
            try:
                stack.enter_context(day_lock(warehouse, folder.day))
            except DayBusyError:
                return False
        remove(folder)
        return True
