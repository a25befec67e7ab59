"""What no table can mean: an amount above its bound is no event of play (contract, section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from events.contract import AMOUNTS_OF

AMOUNT_CENTS = 10**12


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds in force; the settings name them."""

    amount_cents: int = AMOUNT_CENTS

    def amount_problem(self, event: str, own: Mapping[str, Any]) -> str | None:
        """The amount that is too large, as a sentence, or None. `own` keeps the contract."""
        for name in AMOUNTS_OF[event]:
            value = own[name] if name != "limits" else _highest(own[name])
            if value is not None and value > self.amount_cents:
                return f"{event}, {name}: expected at most {self.amount_cents} cents, found {value}"
        return None


def _highest(limits: Mapping[str, Mapping[str, int]]) -> int:
    return max(max(limit["min"], limit["max"]) for limit in limits.values())
