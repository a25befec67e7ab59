"""What holds for all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

# A shell lets what it runs in the background ignore Ctrl-C, and that is handed down to every
# process that a test starts and then stops.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests never judge by the clock: a busy machine is not a wrong program.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only what is meant to be short can be told to hang."""
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.timeout(0))
