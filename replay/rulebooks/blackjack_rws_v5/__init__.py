"""Blackjack RWS, version 5."""

from __future__ import annotations

from functools import partial

from replay.cards import DECK_52
from replay.rulebook import Rulebook
from replay.rulebooks.blackjack_rws_v5.clauses import CLAUSES
from replay.rulebooks.blackjack_rws_v5.play import BET_CHECKS, CHECKS, DEAL, check_setup
from replay.rulebooks.blackjack_rws_v5.rules import CITES, RULES
from replay.stakes import Closing
from replay.twentyone import limits, section5
from replay.twentyone.game import Game, settle
from replay.twentyone.moment import every_decision
from replay.twentyone.values import blackjack_view, draws_to_16

GAME = Game(
    deck=DECK_52,
    bets=frozenset(RULES),
    bet_clause="3.9",
    setup=check_setup,
    checks=every_decision(CHECKS),
    bet_checks=BET_CHECKS,
    rules=RULES,
    cites=CITES,
    view=blackjack_view,
    low_aces=False,
    withdrawal_may_bind=False,
    must_draw=draws_to_16,
    draw_clauses=("3.23", "5.10.2"),
    double_clause="3.22",
    split_clause="3.21",
    overdraw_cut=lambda readings: True,
    deal_order=DEAL,
    closing=Closing(late=("5.8", "3.10"), withdrawal=("5.14", "5.8")),
    limits=limits.pro_rata,
    later_basis=limits.later_bets,
    may_move=section5.may_move,
    incidents=section5.incidents,
    waits_for={},
    payments=lambda table, dealer, stakes, lines, readings: [],
)

BOOK = Rulebook(
    id="blackjack-rws-v5",
    title="Blackjack (RWS)",
    version="5",
    in_force_from=None,  # our copy of the text has no date
    clauses=CLAUSES,
    settle=partial(settle, GAME),
    modules=("replay.twentyone", "replay.rulebooks.blackjack_rws_v5"),
)
