"""The floor's settings, read from floor.toml into typed values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Limits = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Day:
    """When tables are open, how full they are, and how often something unusual happens."""

    irregularities: float
    staged_every: int
    occupancy: tuple[float, ...]
    part_time_every: int
    part_time_opens_hour: int
    part_time_closes_hour: int
    dealer_minutes: int
    dealers: int


@dataclass(frozen=True, slots=True)
class Guests:
    """How guests behave; the shares are explained in floor.toml."""

    stake_in_minimums: tuple[int, ...]
    stake_weights: tuple[int, ...]
    rounds_stayed: int
    sits_out: float
    second_box: float
    standing: float
    side_bet_only: float
    errors: tuple[float, ...]
    changes_his_mind: float
    bets_too_much: float
    bets_late: float
    insures: float
    takes_even_money: float
    doubles_for_less: float
    withdraws_a_double: float
    follows: float
    plays_blind: float
    nominates: float


@dataclass(frozen=True, slots=True)
class GameFloor:
    """What the floor has of one game."""

    rulebook: str
    prefix: str
    decks: tuple[int, ...]
    boxes: tuple[int, ...]
    shuffler_share: float
    side_bets: Mapping[str, float]
    limits: tuple[Limits, ...]


@dataclass(frozen=True, slots=True)
class JackpotFloor:
    """The progressive jackpot: who shares a meter, and how the meter moves."""

    name: str
    tables_per_meter: int
    bet: int
    reset_cents: int
    growth_cents: int
    starts_between: tuple[int, int]


Pace = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Floor:
    """Everything in floor.toml. `pace` has microseconds: the least pause, and how much more."""

    day: Day
    guests: Guests
    pace: Pace
    games: Mapping[str, GameFloor]
    jackpot: JackpotFloor


def _tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}


def _game(rulebook: str, table: Mapping[str, Any]) -> GameFloor:
    limits = tuple(
        {bet: (low, high) for bet, (low, high) in row.items()} for row in table["limits"]
    )
    return GameFloor(rulebook=rulebook, **(_tuples(table) | {"limits": limits}))


def parse_floor(text: str) -> Floor:
    """The settings from the text of a floor.toml."""
    content = tomllib.loads(text)
    return Floor(
        day=Day(**_tuples(content["day"])),
        guests=Guests(**_tuples(content["guests"])),
        pace={k: (low * 1000, (high - low) * 1000) for k, (low, high) in content["pace"].items()},
        games={rulebook: _game(rulebook, t) for rulebook, t in content["games"].items()},
        jackpot=JackpotFloor(**_tuples(content["jackpot"])),
    )


@cache
def default_floor() -> Floor:
    """The floor of the file beside this one."""
    return parse_floor(resources.files("events.devices").joinpath("floor.toml").read_text("utf-8"))
