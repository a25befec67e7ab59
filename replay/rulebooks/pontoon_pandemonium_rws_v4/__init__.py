"""Pontoon Pandemonium RWS, version 4."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from replay.answer import Key
from replay.cards import DECK_48
from replay.findings import Findings
from replay.rulebook import Rulebook
from replay.rulebooks.pontoon_pandemonium_rws_v4.button import check_presses
from replay.rulebooks.pontoon_pandemonium_rws_v4.clauses import CLAUSES
from replay.rulebooks.pontoon_pandemonium_rws_v4.play import BET_CHECKS, CHECKS, DEAL, check_setup
from replay.rulebooks.pontoon_pandemonium_rws_v4.readings import READINGS
from replay.rulebooks.pontoon_pandemonium_rws_v4.rules import CITES, RULES
from replay.stakes import Closing, Stake
from replay.twentyone import super_bonus
from replay.twentyone.game import Game, Incidents, settle
from replay.twentyone.moment import every_decision
from replay.twentyone.short_section5 import ShortText, Standing, section_5
from replay.twentyone.table import TwentyOneTable
from replay.twentyone.values import draws_to_hard_16_or_soft_17, pontoon_view
from replay.twentyone.words import pontoon_words

SECTION_5 = section_5(
    ShortText(
        foreign="5.1.1",
        dealt_wrongly="5.1.2",
        standing=Standing(
            initial="3.6",
            drawn="3.11",
            stood="3.12",
            natural="3.8",
            twenty_one="3.15",
            bust="3.16",
            dealer="3.18",
        ),
        unasked_may_begin=True,
    ),
    Closing(late=("5.2", "3.2"), withdrawal=("5.2",), silent_on_withdrawal=True),
)


def incidents(
    table: TwentyOneTable, stakes: dict[Key, Stake], game: Game, findings: Findings
) -> Incidents:
    """Section 5, and the button: whether a press was in order depends on the cards."""
    check_presses(table, findings)
    return SECTION_5.incidents(table, stakes, game, findings)


GAME = Game(
    deck=DECK_48,
    bet_clause="3.3",
    setup=check_setup,
    checks=every_decision(CHECKS),
    bet_checks=BET_CHECKS,
    rules=RULES,
    cites=CITES,
    view=pontoon_view,
    pays_21_at_once=True,
    low_aces=True,
    withdraw_up_to=20,
    withdrawal_may_bind=True,
    must_draw=draws_to_hard_16_or_soft_17,
    draw_clause="3.18",
    overdraw_clauses=("3.18",),
    double_clause="3.14",
    split_clause="3.13",
    deal_order=DEAL,
    section5=SECTION_5._replace(incidents=incidents),
    waits_for={"pandemonium": ("3.8.1", "the box has a Pontoon, but nobody pressed the button")},
    payments=partial(
        super_bonus.payments,
        super_bonus.SuperBonus(("4.2", "1 Super Bonus"), ("4.2",), every_wager=False, limits=False),
    ),
)

BOOK = Rulebook(
    id="pontoon-pandemonium-rws-v4",
    title="Pontoon Pandemonium (RWS)",
    version="4",
    in_force_from=datetime(2017, 7, 20, 0, 0, tzinfo=UTC),  # 08:00 in Singapore
    clauses=CLAUSES,
    settle=partial(settle, GAME),
    package="replay.rulebooks.pontoon_pandemonium_rws_v4",
    rules=RULES,
    readings=READINGS,
    deck=DECK_48,
    main_bet="initial",
    opening_bets=("initial", "player_pair", "pandemonium"),
    usual_decks=6,
    hand_words=pontoon_words,
    house="RWS",
)
