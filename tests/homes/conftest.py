"""Every kept home in turn: one that the module's tests only read, or a copy to write in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.homes.kept import NAMES, KeptHome, unpacked


@pytest.fixture(scope="module", params=NAMES)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> KeptHome:
    """A home for the tests that only read."""
    return unpacked(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(params=NAMES)
def copy(request: pytest.FixtureRequest, tmp_path: Path) -> KeptHome:
    """A home of the test's own."""
    return unpacked(request.param, tmp_path)
