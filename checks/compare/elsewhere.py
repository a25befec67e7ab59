"""Right in total for a player on a box, but booked on other lines."""

from __future__ import annotations

from checks.compare.sides import Sides
from replay.answer import Key


def booked_elsewhere(sides: Sides, keys: list[Key]) -> list[Key]:
    """Of one player's lines on a box, those that only together are right.

    Payments tell where money was booked. Lines that agree in what was paid, lost ones mostly,
    are told by their stakes: a stake that stands nowhere in the record was never settled.
    """
    paid = [key for key in keys if sides.paid(key) != sides.owed(key)]
    if sum(sides.paid(key) - sides.owed(key) for key in paid) != 0:
        return []
    unpaid = [key for key in keys if key not in paid and sides.stake_off(key) != 0]
    off = sum(map(sides.stake_off, unpaid))
    if off == 0 or off + sum(map(sides.stake_off, paid)) == 0:
        return sorted([*paid, *unpaid])
    twice = _collected_twice(sides, keys)
    if off + sum(twice.values()) == 0:
        return sorted([*paid, *unpaid, *twice])
    return paid


def _collected_twice(sides: Sides, keys: list[Key]) -> dict[Key, int]:
    """Other lines of the player on the box where more was collected than their own stake."""
    box, _, player, _ = keys[0]
    out = {}
    for key, found in sides.recorded.items():
        if key[0] == box and key[2] == player and key not in keys:
            more = sum(part.stake for part in found.parts) - found.stake
            lost = sum(p.stake for p in found.parts if p.stake_returned + p.winnings == 0)
            if more and lost:
                out[key] = min(more, lost)
    return out
