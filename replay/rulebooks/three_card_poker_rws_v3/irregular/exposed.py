"""Cards that the dealer exposed during the deal (5.8.2, 5.12, 5.13)."""

from __future__ import annotations

from replay.episodes import Episode
from replay.grounds import Ground
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import (
    Cause,
    PokerIncidents,
    affected,
)
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import EXPOSED, IN_THE_SHOE
from replay.rulebooks.three_card_poker_rws_v3.play.table import PokerTable


def look_at(table: PokerTable, out: PokerIncidents) -> None:
    """Two or more before anybody had looked: void. One: a dealing error. Later ones: nothing."""
    exposed = _exposed(table)
    if not exposed:
        return
    seen = table.first_seen()
    early = [episode for episode in exposed if episode.at < seen]
    out.exposed_late = len(early) < len(exposed)
    if not early:  # somebody had looked: the round goes on
        out.cite(list(table.stakes), "5.12")
    if len(early) >= 2:
        out.grounds.append(Ground(early[1].at, "5.8.2"))
    elif early and not table.readings.other("single-exposed-card"):
        (one,) = early
        out.causes.append(Cause(one.at, one, ("5.10",), affected(table, one)))


def _exposed(table: PokerTable) -> list[Episode]:
    """Cards that the dealer showed, each once; what lay so in the shoe is nobody's fault."""
    in_the_shoe: set[int] = set()
    for episode in table.episodes:
        if IN_THE_SHOE in episode.kinds:
            in_the_shoe |= episode.cards
    out = []
    for episode in table.episodes:
        if EXPOSED not in episode.kinds:
            continue
        if not episode.noted and episode.cards <= in_the_shoe:
            continue
        if not (_after_the_deal(table, episode) and table.readings.other("exposed-after-the-deal")):
            out.append(episode)
    return out


def _after_the_deal(table: PokerTable, episode: Episode) -> bool:
    """Whether only a note after the last card tells of it."""
    cards = table.round.cards
    if any(card.face_up for card in cards if card.draw in episode.cards):
        return False
    return bool(cards) and episode.at > cards[-1].at
