"""A card found face up in the shoe (5.13): it is used as the next card, and not thrown away."""

from __future__ import annotations

from replay.cards import DECK_52
from replay.episodes import DEALING_ERRORS, Episode
from replay.facts import NEVER, Discard
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import IN_THE_SHOE
from replay.rulebooks.three_card_poker_rws_v3.play.table import PokerTable


def thrown_away(table: PokerTable) -> None:
    """Say of each such card when it was discarded, whatever else went wrong in the round."""
    void = min((void.at for void in table.round.voids), default=NEVER)
    gone = [s for s in table.round.steps if isinstance(s, Discard) and s.at < void]
    for episode in table.episodes:
        if IN_THE_SHOE not in episode.kinds:
            continue
        step = next((step for step in gone if _is_the_card(table, step, episode)), None)
        if step is not None:
            gone.remove(step)
            says = "the card that lay face up was discarded; it is used as the next card"
            table.findings.add("deal_order", ("5.13",), says, at=step.at)


def _is_the_card(table: PokerTable, step: Discard, episode: Episode) -> bool:
    """Whether a discard is of the card in the shoe, and not a part of putting an error right."""
    if step.at < episode.at or _of_an_error(table, step):
        return False
    cards = table.round.cards
    face = next((card.face for card in cards if card.draw == step.draw), None)
    if face is None:  # never dealt: the next one, if no card came in between
        return not any(episode.at < card.at < step.at for card in cards)
    return step.draw in episode.cards and face in DECK_52


def _of_an_error(table: PokerTable, step: Discard) -> bool:
    return any(e.kinds & DEALING_ERRORS and step in e.discards for e in table.episodes)
