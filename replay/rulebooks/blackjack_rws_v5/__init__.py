"""Blackjack RWS, version 5."""

from __future__ import annotations

from functools import partial

from replay.cards import DECK_52
from replay.rulebook import Rulebook
from replay.rulebooks.blackjack_rws_v5.clauses import CLAUSES
from replay.rulebooks.blackjack_rws_v5.play import BET_CHECKS, CHECKS, DEAL, check_setup
from replay.rulebooks.blackjack_rws_v5.readings import READINGS
from replay.rulebooks.blackjack_rws_v5.rules import CITES, RULES
from replay.twentyone.game import Game, settle
from replay.twentyone.moment import every_decision
from replay.twentyone.section5 import SECTION_5
from replay.twentyone.values import blackjack_view, draws_to_16
from replay.twentyone.words import blackjack_words

GAME = Game(
    deck=DECK_52,
    bet_clause="3.9",
    setup=check_setup,
    checks=every_decision(CHECKS),
    bet_checks=BET_CHECKS,
    rules=RULES,
    cites=CITES,
    view=blackjack_view,
    pays_21_at_once=False,
    low_aces=False,
    withdraw_up_to=0,
    withdrawal_may_bind=False,
    must_draw=draws_to_16,
    draw_clause="3.23",
    overdraw_clauses=("3.23", "5.10.2"),
    double_clause="3.22",
    split_clause="3.21",
    deal_order=DEAL,
    section5=SECTION_5._replace(closing=SECTION_5.closing._replace(double_is_final=True)),
    highest_decides=True,
)

BOOK = Rulebook(
    id="blackjack-rws-v5",
    title="Blackjack (RWS)",
    version="5",
    in_force_from=None,  # our copy of the text has no date
    clauses=CLAUSES,
    settle=partial(settle, GAME),
    package="replay.rulebooks.blackjack_rws_v5",
    rules=RULES,
    readings=READINGS,
    deck=DECK_52,
    main_bet="initial",
    opening_bets=("initial", "player_pair", "under_13", "over_13"),
    usual_decks=6,
    hand_words=blackjack_words,
    house="RWS",
)
