"""What has to be done to a warehouse of an earlier format before a catalogue of today fits it.

The catalogue says the version, and it is built anew and renamed into place when all steps are done.
So a step that was killed is run again from its beginning: it must do no harm the second time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from events.formats import WAREHOUSE
from pipelines.warehouse.connect import about_catalogue, connect_fresh
from pipelines.warehouse.layout import Warehouse

WarehouseStep = Callable[[Warehouse], str]
"""From a version to the next, the catalogue apart. Says what it did."""


def _says_its_format(warehouse: Warehouse) -> str:
    return "the catalogue says its format and the folder whose files it names"


def _tells_of_people(warehouse: Warehouse) -> str:
    return "the catalogue has tables of who dealt and who played how much; earlier runs have none"


def _tells_of_paragraphs(warehouse: Warehouse) -> str:
    return "the catalogue has a table of how often each paragraph fired; earlier runs have none"


STEPS: dict[int, WarehouseStep] = {
    1: _says_its_format,
    2: _tells_of_people,
    3: _tells_of_paragraphs,
}
"""By the version that a step begins from."""


def take_steps(warehouse: Warehouse, steps: Mapping[int, WarehouseStep] = STEPS) -> list[str]:
    """With the lock of publishing held; one sentence for each step."""
    if not warehouse.catalogue.exists():
        return []
    with connect_fresh(warehouse.catalogue) as db:
        found = about_catalogue(db).version
    return [
        f"warehouse: format {version} became {version + 1}: {steps[version](warehouse)}"
        for version in range(found, WAREHOUSE.version)
    ]
