"""How often something happened, with how far chance alone may have moved it.

Wilson's interval for a share: it stays between 0 and 1 and is honest for few rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

FEW = 200
"""Rounds below which a rate says next to nothing."""
SURE = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """Rounds with a finding out of some rounds, per thousand."""

    hits: int
    rounds: int
    per_thousand: float
    low: float
    high: float

    @property
    def few(self) -> bool:
        return self.rounds < FEW


def rate(hits: int, rounds: int, sure: float = SURE) -> Rate:
    """The share of rounds per thousand and the interval that holds it with this certainty."""
    if rounds <= 0:
        return Rate(hits, 0, 0.0, 0.0, 1000.0)
    hits = min(hits, rounds)
    z = NormalDist().inv_cdf((1 + sure) / 2)
    share = hits / rounds
    middle = (share + z * z / (2 * rounds)) / (1 + z * z / rounds)
    spread = z * sqrt(share * (1 - share) / rounds + z * z / (4 * rounds**2)) / (1 + z * z / rounds)
    low, high = max(0.0, middle - spread), min(1.0, middle + spread)
    return Rate(hits, rounds, 1000 * share, 1000 * low, 1000 * high)


def sure_among(many: int) -> float:
    """The certainty for each of many that are compared, so that chance alone lifts out one among
    them in one morning of twenty, not several every morning."""
    return 1 - (1 - SURE) / max(many, 1)
