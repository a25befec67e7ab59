"""What a run says of rounds that no table's day shows: its words on the meters that tables share.

The night keeps them beside the day's results, so that whoever looks at one round has them too.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from checks.context import MeterWord
from checks.meter.across import Across
from checks.plain import finding_of, plain_finding
from events.runtime.durable import write_whole
from pipelines.warehouse.catalogue import published
from pipelines.warehouse.errors import WarehouseError
from pipelines.warehouse.layout import RunFolder, warehouse_of
from replay.answer import Finding

_FILE = "across.json"


def keep_across(folder: RunFolder, across: Across) -> None:
    """Write down what was found over all tables of the day."""
    said = {
        "findings": [plain_finding(finding) for finding in across.findings],
        "explained": sorted(across.explained),
    }
    write_whole(folder.path / _FILE, json.dumps(said, ensure_ascii=False).encode())


def kept_across(folder: RunFolder) -> tuple[list[Finding], frozenset[tuple[str, str, int]]]:
    """What was written down: findings, and the bets that other tables show to be right."""
    said = json.loads((folder.path / _FILE).read_bytes())
    explained = frozenset((table, name, box) for table, name, box in said["explained"])
    return [finding_of(one) for one in said["findings"]], explained


def meter_word(home: Path, day: date, table: str, round_: str) -> MeterWord | None:
    """What the run that counts for a day says of a round; None where no run looked, or one did
    before runs kept it."""
    warehouse = warehouse_of(home)
    current = [p for p in published(warehouse) if p.day == day and p.current]
    if not current:
        return None
    path = warehouse.run_folder(day, current[0].run).path / _FILE
    try:
        said = json.loads(path.read_bytes())
        found = tuple(
            finding_of(one)
            for one in said["findings"]
            if (one["table"], one["round"]) == (table, round_)
        )
        # runs of earlier versions name no table here
        boxes = frozenset(
            box for *where, box in said["explained"] if where in ([table, round_], [round_])
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise WarehouseError(
            f"{path}: expected what a run found over all tables: {error}; run evenhand nightly "
            f"--day {day} again"
        ) from None
    return MeterWord(current[0].run, found, boxes)
