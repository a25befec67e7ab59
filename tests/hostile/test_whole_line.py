"""Bad tables among good ones through the whole line (ingest, night with its suites, show): what the
good ones are told is byte for byte what they are told without them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.codec import decode
from events.devices.deliver import deliver
from events.devices.floor import default_floor
from events.log.base import Outgoing
from events.log.files.log import FileLog
from events.model import Envelope
from pipelines.cli.simulate import order_of
from pipelines.night.plain import run_day
from tests.hostile.bad_tables import BadTables
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, MORNING, ask, copied, settings_of

BAD = 60
EVENING = MORNING + timedelta(hours=23)
TABLES = "events rounds lines settlements findings daily_figures"


class GoodDay:
    """A good day, and the same day with bad tables in it."""

    def __init__(self, home: Path) -> None:
        home.mkdir()
        self.good_log = home / "log"
        order = order_of(
            settings_of(home), tables=5, day=DAY, seed=4, rounds=3, irregularities=0.3, faults=0.2
        )
        with closing(FileLog(self.good_log, write=True)) as log:
            deliver(order, default_floor(), log)
            self.good = [decode(message.value) for message in log.read({})]
        self.tables = sorted({str(e.table) for e in self.good})
        self.rounds = sorted({e.round for e in self.good if e.round is not None})

    def told(self, home: Path, bad: Sequence[Outgoing]) -> dict[str, Any]:
        """Everything that the good tables are told on a day with these bad messages."""
        home.mkdir()
        copied(self.good_log, home / "log")
        settings = settings_of(home)
        with (
            closing(FileLog(home / "log", write=True)) as log,
            ArchiveWriter(home / "archive", settings.gaming_day, now=lambda: EVENING) as archive,
        ):
            ingest(log, archive)
            log.append(bad)  # a name that two tables use is whose who opened it first
            ingest(log, archive)
        run_day(settings, DAY)
        names = ", ".join(f"'{table}'" for table in self.tables)
        found: dict[str, Any] = {
            table: ask(
                home,
                f"SELECT * EXCLUDE (run) FROM {table} WHERE table_id IN ({names}) ORDER BY ALL",
            )
            for table in TABLES.split()
        }
        for round_ in self.rounds:
            shown = evenhand_here(home.parent, "show", round_, "--json", EVENHAND_HOME=str(home))
            found[f"show {round_}"] = (shown.returncode, shown.stdout)
        return found


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> GoodDay:
    return GoodDay(tmp_path_factory.mktemp("good") / "home")


@pytest.fixture(scope="module")
def without(house: GoodDay, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return house.told(tmp_path_factory.mktemp("without") / "home", [])


def spoilt(seed: str, good: Sequence[Envelope], count: int) -> list[Outgoing]:
    bad = BadTables(seed, MORNING + timedelta(hours=4), good)
    return [message for n in range(count) for message in bad.table(f"BAD-{n:03d}")]


def test_bad_tables_cost_the_good_ones_nothing(
    house: GoodDay, without: dict[str, Any], tmp_path: Path
) -> None:
    found = house.told(tmp_path / "home", spoilt("1", house.good, BAD))
    assert found == without


@pytest.mark.soak
def test_very_many_bad_tables(house: GoodDay, without: dict[str, Any], tmp_path: Path) -> None:
    """A seed of today, printed; LINE_DAYS asks for more or fewer days of LINE_TABLES bad tables."""
    seed = os.environ.get("LINE_SEED") or os.urandom(4).hex()
    print(f"LINE_SEED={seed}")  # noqa: T201 - so that a failure can be played again
    count = int(os.environ.get("LINE_TABLES", "300"))
    for n in range(int(os.environ.get("LINE_DAYS", "20"))):
        found = house.told(tmp_path / str(n), spoilt(f"{seed}-{n}", house.good, count))
        assert found == without, f"day {n}"
