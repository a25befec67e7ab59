"""Limits are set when a round opens and stay until it ends; between rounds they may change."""

from __future__ import annotations

from typing import Any

import pytest

from checks.audit import audit
from checks.golden.opening import opening
from checks.golden.script import Script
from events.jsonl import from_flat
from replay.registry import IDS
from replay.rounds import facts_of


def findings(rulebook: str, again: dict[str, Any]) -> list[tuple[str, str]]:
    """A round whose opening comes a second time after the first bet, with what `again` changes."""
    poker = rulebook.startswith("three")
    main = "ante" if poker else "initial"
    opened = opening(rulebook, {})
    script = Script("R1")
    script.add("RoundOpened", **opened)
    script.run(f"bet 1 P1 {main} 10.00")
    limits = opened["limits"] | {main: opened["limits"][main] | again}
    script.add("RoundOpened", **(opened | {"limits": limits}))
    for line in ("close", "note technical_interruption", "void 5.4.2 by pit_manager"):
        script.run(line)
    script.add("RoundClosed")
    (round_,) = facts_of([from_flat(flat) for flat in script.out])
    return [(f.kind, f.message) for f in audit(round_).findings if f.kind == "illegal_setup"]


@pytest.mark.parametrize("rulebook", IDS)
@pytest.mark.parametrize("again", [{"min": 2_000}, {"max": 1_000_000}])
def test_limits_that_change_within_a_round(rulebook: str, again: dict[str, int]) -> None:
    ((_, says),) = findings(rulebook, again)
    assert "the limits changed within the round" in says


@pytest.mark.parametrize("rulebook", IDS)
def test_near_miss_the_same_limits_told_twice(rulebook: str) -> None:
    assert findings(rulebook, {}) == []
