"""Damage to the record itself: what was played is honest, what arrives is not as it was."""

from __future__ import annotations

from dataclasses import dataclass

from events.devices.script import Round, Table, Truth
from events.devices.sender import Sender


@dataclass(frozen=True, slots=True)
class Miscount:
    """The cards of a shoe do not add up: the count at its end is off."""

    kind: str = "shoe_mismatch"

    def fits(self, table: Table) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class RecordFault:
    """One kind of damage to a round's messages."""

    kind: str

    def fits(self, table: Table) -> bool:
        """Whether this damage can be done at this table."""
        return True

    def send(self, played: Round, sender: Sender, sent: list[bytes]) -> Truth | None:
        raise NotImplementedError
