"""Irregularities of the contract's section 5, each handled as the rulebook prescribes."""

from __future__ import annotations

from events.devices.script import Round

TROUBLE: dict[str, tuple[type[Round], ...]] = dict.fromkeys(
    (
        "pontoon-plus-rws-v5",
        "blackjack-rws-v5",
        "pontoon-pandemonium-rws-v4",
        "pontoon-mbs-v5",
        "three-card-poker-rws-v3",
    ),
    (),
)
