"""The rare rounds of every game, each arranged once a day."""

from __future__ import annotations

from events.devices.plan import POKER
from events.devices.poker.staged import STAGED_POKER
from events.devices.script import SimulatedRound
from events.devices.twentyone.staged import STAGED_21

STAGED: dict[str, tuple[type[SimulatedRound], ...]] = {**STAGED_21, POKER: STAGED_POKER}
