"""A warehouse moved to the format of this code, and its catalogue to the folder it lies in."""

from __future__ import annotations

from collections.abc import Mapping

from pipelines.warehouse.catalogue import published, put_in_place, whole
from pipelines.warehouse.connect import about_catalogue, connect_fresh
from pipelines.warehouse.current import outdated
from pipelines.warehouse.layout import Warehouse
from pipelines.warehouse.locks import publish_lock
from pipelines.warehouse.steps import STEPS, WarehouseStep, take_steps


def upgrade_warehouse(
    warehouse: Warehouse, steps: Mapping[int, WarehouseStep] = STEPS
) -> list[str]:
    """Do what is to be done; one sentence for each thing."""
    if why_outdated(warehouse) is None:
        return []
    with publish_lock(warehouse):
        why = why_outdated(warehouse)
        if why is None:  # a night has published meanwhile
            return []
        done = take_steps(warehouse, steps)
        runs = whole(warehouse, published(warehouse))
        put_in_place(warehouse, runs)
    return [*done, f"warehouse: the catalogue of {len(runs)} runs was built anew, because {why}"]


def why_outdated(warehouse: Warehouse) -> str | None:
    """Why a warehouse has to move; None where it has not. A newer one is a FormatError."""
    if not warehouse.catalogue.exists():
        return None
    with connect_fresh(warehouse.catalogue) as db:
        return outdated(warehouse, about_catalogue(db))
