"""Pontoon MBS, version 5."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from replay.cards import DECK_48
from replay.rulebook import Rulebook
from replay.rulebooks.pontoon_mbs_v5.clauses import CLAUSES
from replay.rulebooks.pontoon_mbs_v5.play import BET_CHECKS, CHECKS, DEAL, check_setup
from replay.rulebooks.pontoon_mbs_v5.readings import READINGS
from replay.rulebooks.pontoon_mbs_v5.rules import CITES, RULES
from replay.stakes import Closing
from replay.twentyone import super_bonus
from replay.twentyone.game import Game, settle
from replay.twentyone.moment import every_decision
from replay.twentyone.short_section5 import ShortText, Standing, section_5
from replay.twentyone.values import draws_to_hard_16_or_soft_17, pontoon_view
from replay.twentyone.words import pontoon_words

GAME = Game(
    deck=DECK_48,
    bet_clause="3.5",
    setup=check_setup,
    checks=every_decision(CHECKS),
    bet_checks=BET_CHECKS,
    rules=RULES,
    cites=CITES,
    view=pontoon_view,
    pays_21_at_once=True,
    low_aces=True,
    withdraw_up_to=20,
    withdrawal_may_bind=False,  # the text itself lets each player withdraw for himself
    must_draw=draws_to_hard_16_or_soft_17,
    draw_clause="3.19",
    overdraw_clauses=("3.19",),
    double_clause="3.11",
    split_clause="3.8",
    deal_order=DEAL,
    section5=section_5(
        ShortText(
            foreign="5.1.1",
            dealt_wrongly="5.2",
            standing=Standing(
                initial="3.6",
                drawn="3.14",
                stood="3.13",
                natural="3.7",
                twenty_one="3.15",
                bust="3.16",
                dealer="3.19",
            ),
            clears_bust_hands=True,
        ),
        Closing(late=("5.3",), withdrawal=("5.4",)),
    ),
    payments=partial(
        super_bonus.payments,
        super_bonus.SuperBonus(
            ("4.1.1.1", "4.1.1.5"), ("4.1.1.2",), every_wager=True, bars="4.1.1.4", limits=False
        ),
    ),
)

BOOK = Rulebook(
    id="pontoon-mbs-v5",
    title="Pontoon (MBS)",
    version="5",
    in_force_from=datetime(2016, 11, 3, 16, 0, tzinfo=UTC),  # midnight in Singapore, 4 November
    clauses=CLAUSES,
    settle=partial(settle, GAME),
    package="replay.rulebooks.pontoon_mbs_v5",
    rules=RULES,
    readings=READINGS,
    deck=DECK_48,
    main_bet="initial",
    opening_bets=("initial", "player_pair"),
    usual_decks=6,
    hand_words=pontoon_words,
    house="MBS",
)
