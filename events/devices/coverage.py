"""How often each decision, bet, pay-table row, void ground and irregularity occurred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from events.devices.script import Step

_FIELD = {
    "DecisionMade": ("decision", "decision"),
    "BetPlaced": ("bet", "bet"),
    "IrregularityNoted": ("irregularity", "kind"),
    "RoundVoided": ("void", "clause"),
    "RulingMade": ("ruling", "ruling"),
    "OptionTaken": ("option", "option"),
}
_BY_NAME = frozenset({"BetWithdrawn", "BetRefused", "CardsMoved", "CardDiscarded"})


def count_steps(tally: Counter[str], steps: Iterable[Step]) -> None:
    """Add what the events of one round show."""
    for _, kind, fields in steps:
        named = _FIELD.get(kind)
        if named is not None:
            tally[f"{named[0]} {fields[named[1]]}"] += 1
        elif kind in _BY_NAME:
            tally[f"event {kind}"] += 1
    tally["rounds"] += 1


def table_of(tallies: Mapping[str, Counter[str]]) -> list[tuple[str, str, int]]:
    """Rulebook, what, how often: sorted, for printing."""
    return [
        (rulebook, what, times)
        for rulebook, tally in sorted(tallies.items())
        for what, times in sorted(tally.items())
    ]
