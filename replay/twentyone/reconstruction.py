"""Putting cards right as Pontoon Plus and Blackjack have it (5.9, 5.10, the same in both texts)."""

from __future__ import annotations

from replay.episodes import Episode
from replay.facts import Card, Discard, Moved
from replay.twentyone.barred import Barred, let, no_card_of_the_set, past_stand
from replay.twentyone.deals import is_final, paid_before, subsequent_deal_at
from replay.twentyone.table import TwentyOneTable

NOTHING_WRONG = Barred(("5.9",), "nothing was noted, and these cards lay where they belong")


def may_move(table: TwentyOneTable, step: Moved, episode: Episode | None) -> bool:
    """Whether a reconstruction counts: 5.9 and 5.10, and what follows from an illegal one."""
    draws = {draw for draw, _, _ in step.moves}
    barred = NOTHING_WRONG if episode is None else _barred(table, step.at, draws, episode)
    return let(table, step.at, barred)


def may_discard(table: TwentyOneTable, step: Discard, episode: Episode | None) -> bool:
    """Whether a card may be taken away to put an error right."""
    if episode is None:
        says = "a card was taken away, but no dealing error was noted"
        return let(table, step.at, Barred(("5.9",), says), table.find(step.draw))
    return let(table, step.at, _barred(table, step.at, {step.draw}, episode))


def no_reconstruction(table: TwentyOneTable, step: Discard, card: Card) -> bool:
    """Whether taking the card away puts no deal right, because the text says so itself."""
    if card in table.stray or no_card_of_the_set(table, step, card):  # 5.10.3, 5.5.1
        return True
    if card.box == 0 and card.draw in past_stand(table):
        return True  # 5.10.2
    episodes = table.known_episodes()
    episodes.advance(step.at)
    together = (e for e in episodes.of_kind("simultaneous_cards") if e.box in {None, 0})
    if card.box == 0 and any(card.draw in episode.cards for episode in together):
        return True  # 5.12.1
    face_up = episodes.of_kind("card_face_up_in_shoe")
    return any(card.draw in episode.cards for episode in face_up)  # judged by 5.11


def _barred(table: TwentyOneTable, at: int, draws: set[int], episode: Episode) -> Barred | None:
    round_ = table.round
    before = paid_before(table, at)
    if before and draws & {card.draw for card in table.stray}:
        return Barred(("5.10.3", "5.9"), "cards to an empty box were moved after a settlement")
    if draws & past_stand(table):
        return Barred(("5.10.2", "5.9"), "cards that the dealer drew past his stand were moved")
    if episode.repairable(at) is False:
        says = "cards were moved although it was ruled that they cannot be put right"
        return Barred(("5.9",), says)
    if not before:
        return None
    began = subsequent_deal_at(table, at)
    if any(card.at < began for card in round_.cards if card.draw in draws):
        says = "cards of the initial deal were moved after its settlement"
        return Barred(("5.10.1", "5.9"), says)
    if any(is_final(table, settled) for settled in before):
        return Barred(("5.10.1", "5.9"), "cards were moved after a final settlement")
    if table.readings.other("reconstruction-in-the-subsequent-deal"):
        return Barred(("5.10.1", "5.9"), "cards were moved after an interim settlement")
    return None
