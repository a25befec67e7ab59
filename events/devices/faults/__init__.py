"""Faults to plant on request: one kind for every money, procedure and integrity finding."""

from __future__ import annotations

from events.devices.faults.record import Miscount, RecordFault
from events.devices.script import Round

Fault = type[Round] | RecordFault | Miscount
FAULTS: dict[str, tuple[Fault, ...]] = dict.fromkeys(
    (
        "pontoon-plus-rws-v5",
        "blackjack-rws-v5",
        "pontoon-pandemonium-rws-v4",
        "pontoon-mbs-v5",
        "three-card-poker-rws-v3",
    ),
    (),
)
