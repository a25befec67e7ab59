"""Homes that are costly to make, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.night.plain import run_day
from tests.pipelines.kit import DAY, copied, settings_of, simulated


@pytest.fixture(scope="session")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose archive has one complete day of five tables with faults; do not change it."""
    home = tmp_path_factory.mktemp("template") / "home"
    home.mkdir()
    simulated(home)
    return home


@pytest.fixture
def home(archived: Path, tmp_path: Path) -> Path:
    """The same, to do with as one likes."""
    return copied(archived, tmp_path / "home")


@pytest.fixture(scope="session")
def audited(archived: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose day is published; only look at it."""
    home = copied(archived, tmp_path_factory.mktemp("audited") / "home")
    run_day(settings_of(home), DAY, with_suites=False)
    return home
