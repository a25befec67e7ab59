"""The tables that an audit of a day fills, as Arrow schemas with a comment on every column.

The names are the contract's; SQL reserves three of them, so `table`, `at` and `by` are called
table_id, seen_at and noted_by. The warehouse, the data quality suites and docs/sql.md read this.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from events.runtime.arrow import leave_pandas_out

leave_pandas_out()  # whoever makes rows comes by here first

WORDS = pa.list_(pa.string())
TIME = pa.timestamp("us", tz="UTC")


def _field(name: str, kind: pa.DataType, comment: str, *, null: bool = False) -> pa.Field[Any]:
    return pa.field(name, kind, nullable=null, metadata={"comment": comment})


DAY = _field("day", pa.date32(), "gaming day")
TABLE = _field("table_id", pa.string(), "table, such as RWS-PP-07")
ROUND = _field("round", pa.string(), "round id")
RULEBOOK = _field("rulebook", pa.string(), "id of the rulebook that the round names", null=True)
BOX = _field("box", pa.int32(), "betting box, from the dealer's left; 0 is the dealer")
HAND = _field("hand", pa.int32(), "hand of the box; 2 and more come from splits")
PLAYER = _field("player", pa.string(), "opaque player reference")
BET = _field("bet", pa.string(), "name of the bet or payment")
STAKE = _field("stake", pa.int64(), "what was placed, in cents")
BACK = _field("stake_returned", pa.int64(), "how much of the stake goes back, in cents")
WINNINGS = _field("winnings", pa.int64(), "what the house adds, in cents")

ROUNDS = pa.schema(
    [
        DAY,
        TABLE,
        ROUND,
        RULEBOOK,
        _field("status", pa.string(), "settled, void, incomplete or unreplayable"),
        _field("void_clause", pa.string(), "paragraph under which it is void", null=True),
        _field("declared_void", pa.string(), "paragraph under which it was declared", null=True),
        _field("shoe", pa.string(), "shoe or shuffler load", null=True),
        _field("decks", pa.int32(), "decks in the shoe"),
        _field("boxes", pa.int32(), "boxes of the layout"),
        _field("dealt_from", pa.string(), "shoe or shuffler"),
        _field("dealer", pa.string(), "opaque staff reference", null=True),
        _field("jackpot_bet", pa.int64(), "prescribed progressive bet, in cents", null=True),
        _field("seen_at", TIME, "when it opened; its arrival, with a wrong clock", null=True),
        _field("first_seq", pa.int64(), "sequence number of its first event", null=True),
        _field("last_seq", pa.int64(), "sequence number of its last event", null=True),
        _field("events", pa.int32(), "number of its events"),
        _field("closed", pa.bool_(), "whether the log has its close"),
    ]
)

LINES = pa.schema(
    [
        DAY,
        TABLE,
        ROUND,
        RULEBOOK,
        BOX,
        HAND,
        PLAYER,
        BET,
        STAKE,
        BACK,
        WINNINGS,
        _field("outcome", pa.string(), "win, lose, stand_off, surrendered or returned"),
        _field("odds", pa.string(), "exact odds of a win, such as 3:2", null=True),
        _field("clauses", WORDS, "paragraphs that decide the line, most specific first"),
        _field("readings", WORDS, "readings that the line depends on"),
    ]
)

SETTLEMENTS = pa.schema(
    [
        DAY,
        TABLE,
        ROUND,
        RULEBOOK,
        BOX,
        HAND,
        PLAYER,
        BET,
        STAKE,
        BACK,
        WINNINGS,
        _field("parts", pa.int32(), "how many settlements make it up"),
        _field("corrected", pa.bool_(), "whether a correction replaced what was there"),
        _field("seq", pa.int64(), "sequence number of the last of them", null=True),
        _field("seen_at", TIME, "when that was", null=True),
    ]
)

FINDINGS = pa.schema(
    [
        DAY,
        _field("id", pa.string(), "the same in every run"),
        _field("kind", pa.string(), "kind of finding"),
        _field("severity", pa.string(), "money, procedure, integrity, judgement or note"),
        _field("table_id", pa.string(), "table, such as RWS-PP-07", null=True),
        _field("round", pa.string(), "round id", null=True),
        RULEBOOK,
        _field("seq", pa.int64(), "event that shows it", null=True),
        _field("box", pa.int32(), "betting box", null=True),
        _field("hand", pa.int32(), "hand of the box", null=True),
        _field("player", pa.string(), "opaque player reference", null=True),
        _field("bet", pa.string(), "name of the bet or payment", null=True),
        _field("expected", pa.string(), "the line that the rulebook gives, as JSON", null=True),
        _field("recorded", pa.string(), "the line that the table recorded, as JSON", null=True),
        _field("money", pa.int64(), "too much (above zero) or too little, in cents", null=True),
        _field("too_much", pa.int64(), "what players got too much, in cents", null=True),
        _field("too_little", pa.int64(), "what players got too little, in cents", null=True),
        _field("clauses", WORDS, "paragraphs it rests on"),
        _field("message", pa.string(), "one sentence for a compliance officer"),
        _field("dealer", pa.string(), "opaque staff reference", null=True),
        _field("seen_at", TIME, "when the round opened", null=True),
    ]
)

SCHEMAS: dict[str, pa.Schema] = {
    "rounds": ROUNDS,
    "lines": LINES,
    "settlements": SETTLEMENTS,
    "findings": FINDINGS,
}
