"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Tests never judge by the clock: a busy machine is not a wrong program.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
