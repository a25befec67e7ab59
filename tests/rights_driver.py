"""Run as a user without rights over others' files: a house's life, all on its own files.

First argument: the home. Prints one word a step, so that a failure says how far it came.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from events.archive.reader import Archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.gateway import Gateway
from pipelines.night.plain import run_day
from pipelines.warehouse.layout import warehouse_of
from pipelines.warehouse.sweep import sweep
from tests.pipelines.kit import DAY, ask, correction, played, sent, settings_of, won_round


def live(home: Path) -> None:
    """Two nights with late events between them, a repair, a sweep; each on sealed files."""
    say = sys.stdout.write
    settings = settings_of(home)
    gateway = Gateway("RWS-PP-01")
    sent(home, played([won_round()], gateway))
    run_day(settings, DAY, with_suites=False)
    say("first-night ")
    sent(home, played([won_round(1, winnings=3000)], gateway))  # the sealed day is opened again
    late = gateway.send(
        correction(), at=datetime(2026, 3, 10, 1, tzinfo=UTC), device="console", round_="late"
    )
    sent(home, [late])
    say("late-events ")
    night = run_day(settings, DAY, with_suites=False)
    say("second-night ")
    columns = next((home / "archive" / DAY.isoformat()).glob("columns-*.parquet"))
    columns.unlink()  # somebody lost it; what is sealed can be made again
    with ArchiveWriter(home / "archive", settings.gaming_day) as archive:
        archive.repair(DAY)
    say("repair ")
    gone = sweep(warehouse_of(home), timedelta(0), datetime.now(UTC) + timedelta(days=1))
    assert gone, "expected the superseded run to go"
    assert all(not folder.path.exists() for folder in gone)
    say("sweep ")
    assert ask(home, "SELECT count(*) FROM rounds")[0][0] == 3
    with Archive(home / "archive") as archive:
        assert not [p for day in verify(archive).days for p in day.problems]
    say("verify ")
    for sealed in (night.folder.record, next(night.folder.path.glob("lines-*.parquet"))):
        try:
            os.close(os.open(sealed, os.O_WRONLY))
        except PermissionError:
            continue
        raise AssertionError(f"{sealed}: expected that it can't be written")
    say("sealed\n")


if __name__ == "__main__":
    live(Path(sys.argv[1]))
