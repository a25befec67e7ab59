"""What every table and column of the catalogue means, for people who meet it in a SQL prompt.

The derived tables bring their comments along (checks/tables.py); here are those of the events'
columns and of the tables that only the catalogue has.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from checks.tables import FINDINGS, LINES, ROUNDS, SETTLEMENTS
from events.archive.columns import ARROW_SCHEMA
from pipelines.warehouse.audit_views import VIEWS

TIME = pa.timestamp("us", tz="UTC")
WORDS = pa.list_(pa.string())
RUN = "run whose files hold this row; see runs"

TABLES = {
    "events": "every event as the tables sent it; a field that its type does not have is null",
    "rounds": "one row per round: its rulebook, status and place in the log",
    "lines": "what the rulebook gives for every bet: derived, never recorded",
    "settlements": "what the table paid for every bet: recorded, never derived",
    "findings": "where play or record differ from the rulebook, waived ones included",
    "hands": "the cards of each hand as they lay in the end, moves and splits followed",
    "cards": "every card drawn, with where it was dealt and where it belongs now",
    "bets": "chips placed, withdrawn or refused, one row per event",
    "decisions": "what players decided, one row per event",
    "irregularities": "what went wrong at the table, as noted; rulings and voids included",
    "data_quality": "the checks on the day's tables themselves, one row per check",
    "daily_figures": "the day in figures, one row per table and rulebook",
    "dealer_figures": "how much each dealer dealt, one row per day, dealer, table and rulebook",
    "player_figures": "how much each player played, one row per day, player, table and rulebook",
    "clause_figures": "how often each paragraph fired, one row per day, rulebook and paragraph",
    "waivers": "findings that a named person accepted, with the reason",
    "finding_history": "each finding's history: first seen, changed, waived, gone, back, and why",
    "people_log": "what people did up to the last publication: decisions, cases, accounts",
    "cases": "the case of each finding that somebody has touched, up to the last publication",
    "runs": "which run made which day, from what and with what; superseded ones until they go",
    "rulebooks": "the rulebooks this code settles by",
    "clauses": "every paragraph of a rulebook: its gist in our words and how it is held",
    "about": "what this catalogue is: its format, and the folder whose files it names",
    **{name: view.about for name, view in VIEWS.items()},
}

EVENTS = {
    "day": "gaming day",
    "table_id": "table, such as RWS-PP-07",
    "seq": "number of the event at its table, without gaps",
    "round": "round id; null between rounds",
    "type": "what happened, such as BetPlaced",
    "seen_at": "when the device saw it, UTC",
    "device": "console, shoe, layout or jackpot",
    "rulebook": "id of the rulebook named when table or round opened",
    "currency": "currency of the table's chips",
    "shoe": "shoe or shuffler load",
    "decks": "decks in the shoe",
    "shuffled": "whether the shoe was shuffled",
    "cards_left": "cards left when the shoe ended",
    "boxes": "boxes of the layout",
    "limits": "least and most of each bet, in cents",
    "jackpot_bet": "prescribed progressive bet, in cents",
    "dealt_from": "shoe or shuffler",
    "dealer": "opaque staff reference",
    "box": "betting box, from the dealer's left; 0 is the dealer",
    "hand": "hand of the box; 2 and more come from splits",
    "player": "opaque player reference",
    "bet": "name of the bet",
    "amount": "chips, or the meter's reading, in cents",
    "seated": "whether the bettor is in charge of the box",
    "draw": "which card out of this shoe it is",
    "card": "rank and suit, such as TS; ?? could not be read",
    "face_up": "whether the card was dealt face up",
    "reason": "why: of a discard, a correction or a void",
    "moves": "a reconstruction: where each of these cards belongs now",
    "decision": "hit, stand, split, double, surrender and so on",
    "new_hand": "hand that a split makes",
    "multiplier": "what the jackpot button showed",
    "jackpot": "which progressive meter",
    "kind": "kind of irregularity",
    "noted_by": "who noted, ruled or declared it",
    "detail": "free text",
    "option": "continue or take_back, after a dealing error",
    "clause": "paragraph that a ruling or void names",
    "ruling": "what was ruled",
    "stake": "stake as settled, in cents",
    "stake_returned": "how much of the stake went back, in cents",
    "winnings": "what the house added, in cents",
    "phase": "interim or final",
    "key": "HeadSigned: the id of the gateway's key",
    "signature": "HeadSigned: the gateway's Ed25519 signature over the chain up to here",
    "prev": "SHA-256 of the same table's event before",
    "hash": "SHA-256 of this event's bytes",
    "source": "log it came from",
    "partition": "partition of that log",
    "offset": "place in that partition",
    "arrived_at": "when it arrived, UTC; null where nobody knows, or of earlier years' logs",
    "wrong_clock": "its own time was none when it arrived: it counts at its arrival",
    "run": RUN,
}

OVER_EVENTS = {
    "burnt": "whether the card was burnt, not dealt to a hand",
    "discarded": "whether the card was taken out of the round",
    "dealt_box": "box it was first dealt to",
    "dealt_hand": "hand it was first dealt to",
    "cards": "the hand's cards in the order of the draw",
    "card_count": "how many cards",
    "decisions": "decisions on this hand, in order",
    "first_draw": "draw of its first card",
    "type": "which kind of event",
}
"""Columns that the views over events add to those of the events."""


def _field(name: str, kind: pa.DataType, comment: str) -> pa.Field[Any]:
    return pa.field(name, kind, metadata={"comment": comment})


_DAY = _field("day", pa.date32(), "gaming day")
_RUN = _field("run", pa.string(), RUN)
_TEXT, _INT, _FLAG = pa.string(), pa.int64(), pa.bool_()

DAY_FINDINGS = pa.schema(
    [*FINDINGS, _field("waiver", _TEXT, "id of the waiver that covers it, else null")]
)
"""As a run writes them: the checks' columns and who waived it."""

DATA_QUALITY = pa.schema(
    [
        _DAY,
        _field("suite", _TEXT, "table or group of checks"),
        _field("check_name", _TEXT, "what was checked, in words"),
        _field("passed", _FLAG, "whether it holds"),
        _field("blocking", _FLAG, "whether the day is held back where it fails"),
        _field("observed", _TEXT, "what was found"),
        _field("failed_rows", _INT, "how many rows break it; null where it does not count rows"),
        _field("examples", WORDS, "keys of some rows that break it"),
    ]
)

FIGURES = pa.schema(
    [
        _DAY,
        _field("table_id", _TEXT, "table, such as RWS-PP-07"),
        _field("rulebook", _TEXT, "id of the rulebook"),
        _field("rounds", _INT, "rounds opened"),
        _field("settled", _INT, "rounds settled by the rulebook"),
        _field("void", _INT, "rounds void by the rulebook"),
        _field("incomplete", _INT, "rounds whose close the log does not have"),
        _field("unreplayable", _INT, "rounds that could not be replayed"),
        _field("lines", _INT, "bets and payments derived"),
        _field("stake", _INT, "stakes of the derived lines, in cents"),
        _field("due", _INT, "what players are due: stake returned and winnings, in cents"),
        _field("paid", _INT, "what the table paid: stake returned and winnings, in cents"),
        _field("findings", _INT, "findings, waived ones included"),
        _field("overpaid", _INT, "paid too much, over the findings of severity money, in cents"),
        _field("underpaid", _INT, "paid too little, the same way, above zero, in cents"),
        _field("currency", _TEXT, "currency of the table's chips; null where none is known"),
    ]
)

_PLAYED = [
    _field("table_id", _TEXT, "table, such as RWS-PP-07"),
    _field("rulebook", _TEXT, "id of the rulebook"),
    _field("rounds", _INT, "rounds, one that was void or had no end included"),
]
DEALERS = pa.schema([_DAY, _field("dealer", _TEXT, "opaque staff reference"), *_PLAYED])
PLAYERS = pa.schema(
    [
        _DAY,
        _field("player", _TEXT, "opaque player reference"),
        *_PLAYED,
        _field("stake", _INT, "stakes of his derived lines, in cents"),
        _field("due", _INT, "what he is due: stake returned and winnings, in cents"),
    ]
)

FIRED = pa.schema(
    [
        _DAY,
        _field("rulebook", _TEXT, "id of the rulebook"),
        _field("number", _TEXT, "paragraph"),
        _field("lines", _INT, "derived lines that it decides"),
        _field("findings", _INT, "findings that cite it"),
        _field("voids", _INT, "rounds that are void under it"),
    ]
)

WAIVERS = pa.schema(
    [
        _DAY,
        _field("id", _TEXT, "name of the waiver"),
        _field("who", _TEXT, "who accepted it, or asked that it be accepted"),
        _field("reason", _TEXT, "why"),
        _field("scope", _TEXT, "what it covers, as written"),
        _field("expires", pa.date32(), "last gaming day on which it holds; null: for good"),
        _field("findings", _INT, "how many findings of the day it covers"),
        _field("approved_by", _TEXT, "who approved it; null: one person alone gave it"),
    ]
)

RUNS = pa.schema(
    [
        _field("run", _TEXT, "name of the run"),
        _DAY,
        _field("current", _FLAG, "whether the day's rows are this run's"),
        _field("started_at", TIME, "when it began"),
        _field("finished_at", TIME, "when its files were whole"),
        _field("published_at", TIME, "when the catalogue first named it"),
        _field("superseded_at", TIME, "when a later run of the day took its place"),
        _field("dagster_run", _TEXT, "id of the run in Dagster"),
        _field("code_version", _TEXT, "version and hash of the sources"),
        _field("revision", pa.int32(), "revision of the day in the archive; late events raise it"),
        _field("complete", _FLAG, "whether the archive called the day complete"),
        _field("rulebooks", _TEXT, "fingerprint of each rulebook, as JSON"),
        _field("settings", _TEXT, "the settings in force, as JSON"),
        _field(
            "inputs",
            _TEXT,
            "archive files with SHA-256, and the day before as it was then, as JSON",
        ),
        _field("counts", _TEXT, "rows of each table, as JSON"),
        _field("changes", _TEXT, "what differs from the run before, as JSON"),
    ]
)

HISTORY = pa.schema(
    [
        _field("id", _TEXT, "id of the finding"),
        _DAY,
        _field("kind", _TEXT, "kind of the finding"),
        _field("severity", _TEXT, "its severity"),
        _field("table_id", _TEXT, "table, such as RWS-PP-07"),
        _field("round", _TEXT, "round id; null between rounds"),
        _field("change", _TEXT, "first_seen, changed, waived, waiver_ended, gone or back"),
        _field("why", WORDS, "why it changed, is gone or is back"),
        _field("waiver", _TEXT, "id of the waiver that covers it from then on, else null"),
        _field("run", _TEXT, "run that saw it so; it may be swept by now"),
        _field("noted_at", TIME, "when that was written down"),
    ]
)

PEOPLE_LOG = pa.schema(
    [
        _field("number", _INT, "number of the entry, without gaps"),
        _field("done_at", TIME, "when, UTC"),
        _field("who", _TEXT, "account, or the local user where the house has none"),
        _field("via", _TEXT, "desk, command or local: how he came"),
        _field("what", _TEXT, "what he did, such as waiver_asked or case_closed"),
        _field("run", _TEXT, "run that he had before him; null where none matters"),
        _field("subjects", WORDS, "ids of the findings, waivers or accounts that it is about"),
        _field("details", _TEXT, "the rest, as JSON"),
        _field("prev", _TEXT, "SHA-256 of the line of the entry before"),
        _field("hash", _TEXT, "SHA-256 of this entry's line"),
    ]
)

CASES = pa.schema(
    [
        _field("id", _TEXT, "id of the finding"),
        _field("state", _TEXT, "new, assigned, in review, confirmed, explained or closed"),
        _field("assignee", _TEXT, "whose it is; null: nobody's"),
        _field("due", pa.date32(), "by when; null: no day was set"),
        _field("done", WORDS, "recovered, compensated, retrained: what was done"),
        _field("said", _TEXT, "what was said as it was confirmed or explained"),
        _field("comments", _INT, "how many comments"),
        _field("opened_at", TIME, "when somebody first touched it"),
        _field("changed_at", TIME, "when somebody last did"),
    ]
)

RULEBOOKS = pa.schema(
    [
        _field("id", _TEXT, "id, such as pontoon-plus-rws-v5"),
        _field("title", _TEXT, "title of the text"),
        _field("version", _TEXT, "version of the text"),
        _field("in_force_from", _TEXT, "when it came into force; null where our copy has no date"),
        _field("in_force_until", _TEXT, "when it ends; null while nobody has said so"),
        _field("property", _TEXT, "house whose rules these are"),
        _field("notice", _TEXT, "id of the notice of approval; null where our copy has none"),
        _field("fingerprint", _TEXT, "hash over clauses and rules"),
    ]
)

CLAUSES = pa.schema(
    [
        _field("rulebook", _TEXT, "id of the rulebook"),
        _field("number", _TEXT, "paragraph"),
        _field("gist", _TEXT, "what it says, in our words"),
        _field("held", _TEXT, "settles, checks, defines, voids or not_observable"),
        _field("reason", _TEXT, "why it can't be observed; null otherwise"),
    ]
)

ABOUT = pa.schema(
    [
        _field("format", pa.int32(), "version of the warehouse's format"),
        _field("root", pa.string(), "folder whose files the views name"),
    ]
)

SMALL = {
    "findings": DAY_FINDINGS,
    "quality": DATA_QUALITY,
    "figures": FIGURES,
    "waivers": WAIVERS,
    "dealers": DEALERS,
    "fired": FIRED,
}
"""Small files of a run, loaded into the catalogue's tables of these names (see NAMES)."""

NAMES = {
    "quality": "data_quality",
    "figures": "daily_figures",
    "dealers": "dealer_figures",
    "fired": "clause_figures",
}
"""Small files whose table is called something else."""


def comments_of(table: str) -> dict[str, str]:
    """The comment of each column of a table or view."""
    if table in {"events", "hands", "cards", "bets", "decisions", "irregularities"}:
        return EVENTS | (OVER_EVENTS if table != "events" else {})
    if table in VIEWS:
        return VIEWS[table].columns
    schemas = {
        "rounds": ROUNDS,
        "lines": LINES,
        "settlements": SETTLEMENTS,
        "findings": DAY_FINDINGS,
        "data_quality": DATA_QUALITY,
        "daily_figures": FIGURES,
        "dealer_figures": DEALERS,
        "player_figures": PLAYERS,
        "clause_figures": FIRED,
        "waivers": WAIVERS,
        "runs": RUNS,
        "finding_history": HISTORY,
        "people_log": PEOPLE_LOG,
        "cases": CASES,
        "rulebooks": RULEBOOKS,
        "clauses": CLAUSES,
        "about": ABOUT,
    }
    found = {"run": RUN}
    for field in schemas[table]:
        found[field.name] = (field.metadata or {}).get(b"comment", b"").decode()
    return found


def part_schema(name: str) -> pa.Schema:
    """The schema of a big table's Parquet files."""
    known: dict[str, pa.Schema] = {"events": ARROW_SCHEMA, "rounds": ROUNDS, "lines": LINES}
    return known.get(name, SETTLEMENTS)
