"""Players who look at a second hand (5.18)."""

from __future__ import annotations

from collections.abc import Iterator

from replay.episodes import Episode
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import PokerIncidents
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import (
    EXAMINATIONS,
    LOOKED,
    on_purpose,
)
from replay.rulebooks.three_card_poker_rws_v3.play.table import Player, PokerTable


def further_hands(table: PokerTable) -> Iterator[tuple[Player, Episode]]:
    """Hands that a player looked at beyond his first one, as the log shows or a note says."""
    first: dict[str, int] = {}
    for look in table.round.looks:
        player = look.player
        if player is None or table.owner.get(look.box) != player or player in first:
            continue
        if table.cards_at(look):
            first[player] = look.box
    for episode in table.episodes:
        if LOOKED not in episode.kinds or episode.box is None:
            continue
        named = [note.player for note in episode.notes if note.player is not None]
        player = named[0] if named else table.owner.get(episode.box)
        if player is not None and first.get(player) != episode.box:
            yield (episode.box, player), episode


def second_looks(table: PokerTable, out: PokerIncidents) -> None:
    """On purpose: the further hand is off and its bets go back. The first hand stays."""
    for (box, player), episode in further_hands(table):
        off = on_purpose(episode)
        if off is None:
            table.findings.add(
                "discretion",
                ("5.18",),
                "a second hand was looked at, and nobody decided whether on purpose",
                at=episode.at,
                box=box,
                player=player,
            )
            off = table.readings.other("examination-without-ruling")
        if off:
            for key in table.bets_of(box, player):
                out.returned[key] = ("5.18",)
            ruled = [r.at for r in episode.rulings if r.ruling in EXAMINATIONS]
            table.gone.setdefault((box, player), max(ruled, default=episode.at))
