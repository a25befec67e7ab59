"""3 Card Poker RWS, version 3."""

from __future__ import annotations

from datetime import UTC, datetime

from replay.rulebook import Rulebook
from replay.rulebooks.three_card_poker_rws_v3.clauses import CLAUSES
from replay.rulebooks.three_card_poker_rws_v3.settle import settle

BOOK = Rulebook(
    id="three-card-poker-rws-v3",
    title="3 Card Poker (RWS)",
    version="3",
    in_force_from=datetime(2020, 3, 17, 0, 0, tzinfo=UTC),  # 08:00 in Singapore
    clauses=CLAUSES,
    settle=settle,
    modules=(
        "replay.rulebooks.three_card_poker_rws_v3",
        "replay.cut",
        "replay.grounds",
        "replay.lines",
        "replay.setup",
        "replay.stakes",
    ),
)
