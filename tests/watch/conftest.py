"""A floor with many faults, archived and audited, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from events.archive.reader import Archive
from pipelines.night.plain import run_day
from tests.pipelines.kit import settings_of, simulated


@pytest.fixture(scope="session")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a log, an archive and a published night of every day; only look at it."""
    home = tmp_path_factory.mktemp("floor") / "home"
    home.mkdir()
    simulated(home, rounds=48, faults=1.0)
    with Archive(home / "archive") as archive:
        days = archive.days()
    for day in days:
        run_day(settings_of(home), day, with_suites=False)
    return home
