"""What one day's check of the meters leaves for the next: where they stood, and which tables were
without one. The night keeps it as JSON beside the day's results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Failure(NamedTuple):
    """A malfunction after which the meter was not read again."""

    round: str | None
    seq: int
    boxes: int  # the box whose device it was, as a bit (checks.meter.bit); 0: the whole system


@dataclass(frozen=True, slots=True)
class MeterStanding:
    """A meter shortly before the end of a day, in cents, and what happened to it after that.

    The last rounds of a day run over its end, while other tables play the next day already; so
    the next day has to know what came when.
    """

    cents: int
    bets: tuple[tuple[int, str, int], ...] = ()  # when, table, how many
    wins: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DayEnd:
    """The end of a day; an empty one where the day before is not known."""

    meters: Mapping[str, MeterStanding] = field(default_factory=dict)
    failed: Mapping[str, Failure] = field(default_factory=dict)  # by table

    def to_json(self) -> str:
        meters = {
            name: {"cents": one.cents, "bets": one.bets, "wins": one.wins}
            for name, one in self.meters.items()
        }
        return json.dumps({"meters": meters, "failed": self.failed})

    @classmethod
    def from_json(cls, text: str) -> DayEnd:
        found = json.loads(text)
        meters = {
            name: MeterStanding(
                one["cents"],
                tuple((at_us, table, bets) for at_us, table, bets in one["bets"]),
                tuple((at_us, table) for at_us, table in one["wins"]),
            )
            for name, one in found["meters"].items()
        }
        return cls(meters, {table: Failure(*own) for table, own in found["failed"].items()})
