"""What holds for all tests."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

# A shell lets what it runs in the background ignore Ctrl-C, and that is handed down to every
# process that a test starts and then stops.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests never judge by the clock: a busy machine is not a wrong program. And they give one answer:
# the same draws every time. The search for new ones is `-m soak`, which prints its seed.
settings.register_profile(
    "house", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("house"), derandomize=False, database=None)
settings.load_profile("house")

# where the rules fail on a round the night goes on with the others; here it must be seen
os.environ["AUDIT_RAISES"] = "1"

SOAK_EXAMPLES = 20
"""How many times as many draws the random search makes."""

MAY_SKIP = {
    "tests/pipelines/test_nightly.py::test_a_worker_that_is_killed_costs_a_second_attempt":
        "a machine with one core has no workers to kill",
}  # fmt: skip
"""What may be skipped where CI runs, and why. Everything else that is skipped there has failed."""


def _soaks(config: pytest.Config) -> bool:
    wanted = str(config.getoption("markexpr", ""))
    return "soak" in wanted and "not soak" not in wanted


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before any test is read and before Hypothesis asks for its seed."""
    if _soaks(config):
        settings.load_profile("soak")
        if config.getoption("hypothesis_seed", None) is None:  # else: given, or the main process's
            config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _soaks(config):
        seed = config.getoption("hypothesis_seed")
        terminalreporter.write_line(f"drawn with --hypothesis-seed={seed}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What Hypothesis draws is part of the search; only what is meant to be short can hang."""
    for item in items:
        test = getattr(item, "obj", None)
        if _soaks(config) and test is not None and is_hypothesis_test(test):
            item.add_marker(pytest.mark.soak)
            _draw_more(getattr(test, "__func__", test))
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.timeout(0))


def _draw_more(test: Any) -> None:
    # a decorated test has its settings fixed; Hypothesis has no public way to change them
    now = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
    more = settings(now, max_examples=now.max_examples * SOAK_EXAMPLES)
    test._hypothesis_internal_use_settings = more


def _skip_is_failure(report: pytest.TestReport | pytest.CollectReport) -> None:
    """A tool that is missing skips a test on somebody's machine; where CI runs it is missed."""
    if os.environ.get("CI") != "true" or report.outcome != "skipped":
        return
    if hasattr(report, "wasxfail") or report.nodeid.partition("[")[0] in MAY_SKIP:
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid}: under CI nothing may be skipped; {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _skip_is_failure(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _skip_is_failure(report)
    return report
