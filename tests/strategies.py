"""Hypothesis strategies for events: any event that the contract allows, and tables of them.

Built from the tables of events/contract.py and the fields of events/model.py, so that a new event
or a new word is generated without a word here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from events import contract as c
from events.contract import EVENT_FIELDS, Field
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import EVENT_TYPES, Envelope, Event

RANKS, SUITS = "A23456789TJQK", "SHDC"

texts = st.text(min_size=1, max_size=20)
notes = st.text(max_size=40)
times = st.datetimes(
    datetime(1990, 1, 1),
    datetime(2100, 1, 1),
    timezones=st.just(UTC),
)
cards = st.one_of(
    st.builds(lambda r, s: r + s, st.sampled_from(RANKS), st.sampled_from(SUITS)),
    st.sampled_from(("??", "JOKER")),
)
ints = st.integers(1, c.INT_MAX)
longs = st.integers(1, c.LONG_MAX)
hashes = st.binary(min_size=32, max_size=32)
boxes, hands = st.integers(1, c.MAX_BOX), st.integers(1, c.MAX_HAND)

WORDS = {
    "bet": c.BETS,
    "decision": c.DECISIONS,
    "kind": c.IRREGULARITIES,
    "option": c.OPTIONS,
    "ruling": c.RULINGS,
    "by": c.PEOPLE,
    "phase": c.PHASES,
    "dealt_from": c.DEALT_FROM,
}
FROM_ZERO = frozenset({"stake", "stake_returned", "winnings"})
DEALER_MAY = frozenset(
    {"CardDealt", "HandExamined", "HandRevealed", "IrregularityNoted", "RulingMade"}
)
MAY_STAND_ALONE = c.BETWEEN_ROUNDS | {
    "IrregularityNoted",
    "RulingMade",
    "JackpotRead",
    "CardBurnt",
}

_limits = st.dictionaries(
    st.sampled_from(sorted(c.BETS)),
    st.fixed_dictionaries({"min": st.integers(0, c.LONG_MAX), "max": st.integers(0, c.LONG_MAX)}),
    min_size=1,
)
_places = st.one_of(st.just((0, 0)), st.tuples(boxes, hands))
_moves = st.lists(
    st.builds(lambda d, p: {"draw": d, "box": p[0], "hand": p[1]}, ints, _places), min_size=1
)


def values(event: str, field: Field) -> st.SearchStrategy[Any]:
    """What a field of an event may hold; places are put right afterwards."""
    name = field.name
    if name == "bet" and event in {"BetSettled", "SettlementCorrected"}:
        return st.sampled_from(sorted(c.BETS | c.PAYMENTS))
    if name in WORDS:
        return st.sampled_from(sorted(WORDS[name]))
    special = {"limits": _limits, "moves": _moves, "card": cards, "cards_left": st.integers(0, 416)}
    special |= {"box": boxes, "hand": hands, "new_hand": hands}
    special |= dict.fromkeys(("reason", "detail", "clause"), notes)
    special |= dict.fromkeys(FROM_ZERO, st.integers(0, c.LONG_MAX))
    if name in special:
        return special[name]
    if field.base is bool:
        return st.booleans()
    if field.base is bytes:
        return st.binary(min_size=c.SIGNATURE_SIZE, max_size=c.SIGNATURE_SIZE)
    if field.base is int:
        return longs if name in {"amount", "jackpot_bet"} else ints
    return texts


@st.composite
def records(draw: st.DrawFn, event: str) -> dict[str, Any]:
    """An event's own fields as plain values."""
    out = {}
    for field in EVENT_FIELDS[event]:
        value = values(event, field)
        out[field.name] = draw(st.none() | value if field.nullable else value)
    at_dealer = event in DEALER_MAY and {"box", "hand"} <= out.keys() and draw(st.booleans())
    if at_dealer:
        out["box"] = out["hand"] = 0
    return out


def events(kinds: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Event]:
    """Any event of the contract."""
    kinds = kinds or st.sampled_from(sorted(EVENT_TYPES))
    return kinds.flatmap(lambda kind: records(kind).map(lambda r: c.build(kind, r)))


@st.composite
def envelopes(draw: st.DrawFn) -> Envelope:
    """Any event with a whole envelope, as a table sends it."""
    event = draw(events())
    kind = type(event).__name__
    round_ = st.none() | texts if kind in MAY_STAND_ALONE else texts
    signed = kind == "HeadSigned"
    return Envelope(
        event,
        draw(st.none() if signed else round_),
        draw(texts),
        draw(longs),
        draw(times),
        "gateway" if signed else draw(st.sampled_from(sorted(c.DEVICES))),
        draw(hashes),
    )


@st.composite
def table_messages(
    draw: st.DrawFn, *, min_size: int = 1, max_size: int = 12, table: str = "RWS-PP-07"
) -> list[Outgoing]:
    """A table's events from the first on, numbered and chained by its gateway."""
    gateway = Gateway(table)
    return [
        gateway.send(event, at=draw(times), **_said_by(event))
        for event in draw(st.lists(events(), min_size=min_size, max_size=max_size))
    ]


def _said_by(event: Event) -> dict[str, Any]:
    """A signature is the gateway's own, between rounds."""
    if type(event).__name__ == "HeadSigned":
        return {"device": "gateway", "round_": None}
    return {"device": "console", "round_": "R1"}
