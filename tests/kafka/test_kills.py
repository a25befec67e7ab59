"""Ingest killed -9 at any moment, the broker restarted under it: nothing lost, nothing doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from events.log.kafka.log import KafkaLog
from pipelines.broker.server import Broker
from tests.kafka.campaign import Plan, check, run


def test_nothing_is_lost_or_doubled_by_kills_and_a_restart(
    broker: Broker, log: KafkaLog, tmp_path: Path
) -> None:
    plan = Plan(seed=4, messages=4_000, kills=6, restarts=1, poison=40, seconds=20.0)
    outcome = run(plan, broker, log, tmp_path)
    check(plan, outcome)
    assert sum(outcome.advances) > 0, "no ingest came to work before it was killed"


@pytest.mark.soak
def test_nothing_is_lost_or_doubled_by_many_kills(
    broker: Broker, log: KafkaLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prints the figures that docs/reliability.md quotes."""
    plan = Plan(seed=11, messages=100_000, kills=80, restarts=8, poison=500, seconds=300.0)
    outcome = run(plan, broker, log, tmp_path)
    working = [advance for advance in outcome.advances if advance]
    with capsys.disabled():
        print(  # noqa: T201 - the figures are what this campaign is for
            f"\nsent {len(outcome.sent):,}, archived {outcome.archived.total():,}, "
            f"doubled {outcome.archived.total() - len(outcome.archived):,}, "
            f"missing {len(outcome.in_topic - outcome.archived):,}\n"
            f"killed {outcome.kills}, of them {len(working)} after they had added messages; "
            f"broker restarts {outcome.restarts}; dead letters {outcome.dead_letters} for "
            f"{plan.poison} poisoned; {outcome.seconds:.0f} s"
        )
    check(plan, outcome)
