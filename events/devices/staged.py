"""Rare hands, brought about by arranging the next cards of the shoe."""

from __future__ import annotations

from events.devices.script import Round

STAGED: dict[str, tuple[type[Round], ...]] = dict.fromkeys(
    (
        "pontoon-plus-rws-v5",
        "blackjack-rws-v5",
        "pontoon-pandemonium-rws-v4",
        "pontoon-mbs-v5",
        "three-card-poker-rws-v3",
    ),
    (),
)
