"""How the four games of 21 differ, as a dealer has it on a card beside the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from events.devices.cards import DECK_48, DECK_52


@dataclass(frozen=True, slots=True)
class SimulatedGame:
    """One game of 21. `voids` gives the paragraph for each ground on which a round is void."""

    rulebook: str
    deck: tuple[str, ...]
    pays_21_at_once: bool  # the Pontoon games; also: special odds, low aces in a doubled hand
    surrender_on: str  # ranks of the dealer's first card
    lowest_stand: int  # a player under this total must draw
    dealer_hits_soft_17: bool
    may_withdraw_double: bool
    double_has_minimum: bool
    even_money: bool
    side_bets_for_others: bool  # a side bet on a box where somebody else has the main bet
    bonus_for_every_wager: bool  # the $50: every other wager, not the seated player of each box
    late_clause: str
    options_clause: str | None  # after a dealing error every player may take his bet back
    voids: Mapping[str, str] = field(default_factory=dict)


PLUS = SimulatedGame(
    rulebook="pontoon-plus-rws-v5",
    deck=DECK_48,
    pays_21_at_once=True,
    surrender_on="AKQJ",
    lowest_stand=12,
    dealer_hits_soft_17=True,
    may_withdraw_double=True,
    double_has_minimum=False,
    even_money=False,
    side_bets_for_others=True,
    bonus_for_every_wager=False,
    late_clause="5.8",
    options_clause="5.7",
    voids={
        "foreign_card": "5.5.1",
        "card_shortage": "5.5.2",
        "card_excess": "5.5.2",
        "insufficient_cards": "5.5.3",
        "not_shuffled": "5.5.4",
        "technical_interruption": "5.4.2",
    },
)
BLACKJACK = SimulatedGame(
    rulebook="blackjack-rws-v5",
    deck=DECK_52,
    pays_21_at_once=False,
    surrender_on="23456789TJQK",
    lowest_stand=12,
    dealer_hits_soft_17=False,
    may_withdraw_double=False,
    double_has_minimum=False,
    even_money=True,
    side_bets_for_others=True,
    bonus_for_every_wager=False,
    late_clause="5.8",
    options_clause="5.7",
    voids=PLUS.voids,
)
PANDEMONIUM = SimulatedGame(
    rulebook="pontoon-pandemonium-rws-v4",
    deck=DECK_48,
    pays_21_at_once=True,
    surrender_on="AKQJ",
    lowest_stand=12,
    dealer_hits_soft_17=True,
    may_withdraw_double=True,
    double_has_minimum=False,
    even_money=False,
    side_bets_for_others=False,
    bonus_for_every_wager=False,
    late_clause="5.2",
    options_clause=None,
    voids={"foreign_card": "5.1.1", "dealing_error": "5.1.2"},
)
MBS = SimulatedGame(
    rulebook="pontoon-mbs-v5",
    deck=DECK_48,
    pays_21_at_once=True,
    surrender_on="AKQJ",
    lowest_stand=0,
    dealer_hits_soft_17=True,
    may_withdraw_double=True,
    double_has_minimum=True,
    even_money=False,
    side_bets_for_others=True,
    bonus_for_every_wager=True,
    late_clause="5.3",
    options_clause=None,
    voids={"foreign_card": "5.1.1", "dealing_error": "5.2"},
)

GAMES = {game.rulebook: game for game in (PLUS, BLACKJACK, PANDEMONIUM, MBS)}
