"""3 Card Poker RWS, version 3."""

from __future__ import annotations

from datetime import UTC, datetime

from replay.cards import DECK_52
from replay.rulebook import Rulebook
from replay.rulebooks.three_card_poker_rws_v3.clauses import CLAUSES
from replay.rulebooks.three_card_poker_rws_v3.play.ranking import hand_words
from replay.rulebooks.three_card_poker_rws_v3.readings import READINGS
from replay.rulebooks.three_card_poker_rws_v3.settling.rules import JACKPOT_PAYS, RULES
from replay.rulebooks.three_card_poker_rws_v3.settling.settle import settle

BOOK = Rulebook(
    id="three-card-poker-rws-v3",
    title="3 Card Poker (RWS)",
    version="3",
    in_force_from=datetime(2020, 3, 17, 0, 0, tzinfo=UTC),  # 08:00 in Singapore
    clauses=CLAUSES,
    settle=settle,
    package="replay.rulebooks.three_card_poker_rws_v3",
    rules=RULES,
    readings=READINGS,
    deck=DECK_52,
    main_bet="ante",
    opening_bets=("ante", "pair_plus"),
    usual_decks=1,
    hand_words=hand_words,
    jackpot_rows_cents=frozenset(JACKPOT_PAYS.values()),
    house="RWS",
)
