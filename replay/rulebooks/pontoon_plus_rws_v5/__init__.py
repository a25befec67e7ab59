"""Pontoon Plus RWS, version 5."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from replay.cards import DECK_48
from replay.rulebook import Rulebook
from replay.rulebooks.pontoon_plus_rws_v5.clauses import CLAUSES
from replay.rulebooks.pontoon_plus_rws_v5.play import BET_CHECKS, CHECKS, DEAL, check_setup
from replay.rulebooks.pontoon_plus_rws_v5.readings import READINGS
from replay.rulebooks.pontoon_plus_rws_v5.rules import CITES, RULES
from replay.twentyone import super_bonus
from replay.twentyone.game import Game, settle
from replay.twentyone.moment import every_decision
from replay.twentyone.section5 import SECTION_5
from replay.twentyone.values import draws_to_hard_16_or_soft_17, pontoon_view
from replay.twentyone.words import pontoon_words

GAME = Game(
    deck=DECK_48,
    bet_clause="3.9",
    setup=check_setup,
    checks=every_decision(CHECKS),
    bet_checks=BET_CHECKS,
    rules=RULES,
    cites=CITES,
    view=pontoon_view,
    pays_21_at_once=True,
    low_aces=True,
    withdraw_up_to=21,
    withdrawal_may_bind=True,
    must_draw=draws_to_hard_16_or_soft_17,
    draw_clause="3.27",
    overdraw_clauses=("3.27", "5.10.2"),
    double_clause="3.25",
    split_clause="3.24",
    deal_order=DEAL,
    section5=SECTION_5,
    highest_decides=True,
    payments=partial(
        super_bonus.payments,
        super_bonus.SuperBonus(("4.1.2", "1.31"), ("4.1.2",), every_wager=False),
    ),
)

BOOK = Rulebook(
    id="pontoon-plus-rws-v5",
    title="Pontoon Plus (RWS)",
    version="5",
    in_force_from=datetime(2020, 12, 1, 0, 0, tzinfo=UTC),  # 08:00 in Singapore
    clauses=CLAUSES,
    settle=partial(settle, GAME),
    package="replay.rulebooks.pontoon_plus_rws_v5",
    rules=RULES,
    readings=READINGS,
    deck=DECK_48,
    main_bet="initial",
    opening_bets=("initial", "player_pair", "bonus"),
    usual_decks=6,
    hand_words=pontoon_words,
    house="RWS",
)
