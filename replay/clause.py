"""A numbered paragraph of a rulebook: its number, what it says in our words, how we hold it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Held = Literal["settles", "checks", "defines", "voids", "not_observable"]


@dataclass(frozen=True, slots=True)
class Clause:
    """One paragraph. `reason` stands only with `not_observable`: why no event can show it."""

    number: str
    gist: str
    held: Held
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.held == "not_observable") != (self.reason is not None):
            raise ValueError(
                f"clause {self.number}: a reason is given exactly where held is not_observable"
            )
