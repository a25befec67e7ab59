"""A home with published days and the desk over it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pipelines.desk.app import create_app
from pipelines.night.plain import run_day
from tests.pipelines.kit import DAY, settings_of, simulated

NEXT = DAY + timedelta(days=1)
ADDRESS = "http://127.0.0.1"


@pytest.fixture(scope="session")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five tables with faults on two published days; only look at it."""
    home = tmp_path_factory.mktemp("desk") / "home"
    home.mkdir()
    for day in (DAY, NEXT):
        simulated(home, day, rounds=30)
        run_day(settings_of(home), day, with_suites=False)
    return home


def desk_of(home: Path) -> TestClient:
    return TestClient(create_app(settings_of(home)), base_url=ADDRESS, follow_redirects=False)


@pytest.fixture(scope="session")
def desk(two_days: Path) -> Iterator[TestClient]:
    with desk_of(two_days) as client:
        yield client


@pytest.fixture
def archived_home(tmp_path: Path) -> Path:
    """A day in the archive that nobody has audited."""
    home = tmp_path / "home"
    home.mkdir()
    simulated(home)
    return home
