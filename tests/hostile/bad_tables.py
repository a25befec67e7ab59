"""Tables that send what the contract allows and no table means: every type of event, with values
at the bounds, in any order, under any round's name.

All draws come from one seed, so that a failure can be played again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from events import contract as c
from events.bounds import AMOUNT_CENTS
from events.contract import EVENT_FIELDS, Field
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import EVENT_TYPES, Envelope, Event, JackpotRead
from tests.hostile_texts import HOSTILE
from tests.strategies import DEALER_MAY, MAY_STAND_ALONE, RANKS, SUITS, WORDS

_TEXTS = ("P1", "P2", "\u00e9", "e\u0301", "\U0001f0a1", "n" * 300, " ", *HOSTILE.values())
_BOOKS = (
    "pontoon-plus-rws-v5", "blackjack-rws-v5", "three-card-poker-rws-v3",
    "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5", "no-such-book",
)  # fmt: skip
_CARDS = (*(r + s for r in RANKS for s in SUITS), "??", "JOKER", "X" * 300, "\u2660")
_FROM_ZERO = frozenset({"stake", "stake_returned", "winnings", "cards_left"})


class BadTables:
    """Makes bad tables out of good ones. `rounds`: the good tables' own names of rounds."""

    def __init__(self, seed: str, day: datetime, good: Sequence[Envelope]) -> None:
        self._draw = random.Random(seed)
        self._day = day
        self._good: dict[str, list[Envelope]] = {}
        for envelope in good:
            self._good.setdefault(envelope.table or "", []).append(envelope)
        self._rounds = sorted({e.round for e in good if e.round is not None})

    def table(self, name: str) -> list[Outgoing]:
        """One bad table's messages, as its gateway numbers and chains them."""
        draw = self._draw
        own = self._renamed(name, draw.choice(sorted(self._good)))
        for _ in range(draw.choice((1, 1, 2, 3, 8, 30))):
            own = self._spoilt(name, own)
        gateway = Gateway(name)
        out = []
        for envelope in own:
            at = envelope.at or self._day
            device = "gateway" if envelope.type == "HeadSigned" else "console"
            round_ = None if device == "gateway" else envelope.round
            out.append(gateway.send(envelope.event, at=at, device=device, round_=round_))
        return self._in_transit(out)

    def event(self, kind: str) -> Event:
        """Any event of that type, its values at the bounds."""
        own = {f.name: self._value(kind, f) for f in EVENT_FIELDS[kind]}
        if {"box", "hand"} <= own.keys() and kind in DEALER_MAY and self._draw.random() < 0.3:
            own["box"] = own["hand"] = 0
        return c.build(kind, own)

    def _renamed(self, name: str, like: str) -> list[Envelope]:
        """The play of a good table under another name, its rounds too. It has a meter of its own:
        one that tables share is what all of them say together."""
        out = []
        for e in self._good[like]:
            event = e.event
            if isinstance(event, JackpotRead):
                event = replace(event, jackpot=f"{name} meter")
            round_ = None if e.round is None else e.round.replace(like, name)
            out.append(replace(e, event=event, table=name, round=round_))
        return out

    def _spoilt(self, name: str, own: list[Envelope]) -> list[Envelope]:
        draw = self._draw
        at = draw.randrange(len(own))
        way = draw.randrange(9)
        if way <= 2:  # an event that was not sent
            kind = draw.choice(sorted(EVENT_TYPES))
            round_ = own[at].round or name
            if kind in MAY_STAND_ALONE and draw.random() < 0.4:
                round_ = None
            stranger = replace(own[at], event=self.event(kind), round=round_)
            return [*own[:at], stranger, *own[at:]]
        if way <= 4:  # the same event with other values
            return [*own[:at], replace(own[at], event=self._bent(own[at])), *own[at + 1 :]]
        if way == 5:  # gone, or told twice
            return [*own[:at], *own[at + 1 :]] if len(own) > 1 else [own[at], own[at]]
        if way == 6:
            return [*own[:at], own[at], *own[at:]]
        if way == 7:  # out of order
            to = draw.randrange(len(own))
            own[at], own[to] = own[to], own[at]
            return own
        return self._elsewhere(own, at)

    def _elsewhere(self, own: list[Envelope], at: int) -> list[Envelope]:
        """Another time, or another round's name, for one event or for all from there on."""
        draw = self._draw
        last = draw.choice((at + 1, len(own)))
        if draw.random() < 0.5:
            time = self._time()
            return [*own[:at], *(replace(e, at=time) for e in own[at:last]), *own[last:]]
        named = draw.choice((*self._rounds, *_TEXTS))
        moved = (e if e.round is None else replace(e, round=named) for e in own[at:last])
        return [*own[:at], *moved, *own[last:]]

    def _time(self) -> datetime:
        micro = timedelta(microseconds=1)
        far = (datetime(1970, 1, 1), datetime(2010, 1, 1), datetime(9999, 12, 31, 23, 59, 59))
        near = (timedelta(0), -micro, timedelta(days=1), timedelta(days=1) - micro)
        day = self._day
        return self._draw.choice((*(day.replace(tzinfo=None) + d for d in near), *far)).replace(
            tzinfo=day.tzinfo
        )

    def _bent(self, envelope: Envelope) -> Event:
        names = [f for f in EVENT_FIELDS[envelope.type] if f.name not in {"box", "hand"}]
        if not names:
            return envelope.event
        field = self._draw.choice(names)
        return replace(envelope.event, **{field.name: self._built(envelope.type, field)})  # type: ignore[type-var]

    def _built(self, kind: str, field: Field) -> Any:
        return getattr(self.event(kind), field.name)

    def _in_transit(self, sent: list[Outgoing]) -> list[Outgoing]:
        """What the way may do: lose, double, and overtake."""
        draw = self._draw
        if draw.random() < 0.2:
            sent.insert(draw.randrange(len(sent)), draw.choice(sent))
        if draw.random() < 0.2:
            del sent[draw.randrange(len(sent))]
        if sent and draw.random() < 0.2:
            sent.append(sent.pop(draw.randrange(len(sent))))
        return sent

    def _value(self, kind: str, field: Field) -> Any:
        draw, name = self._draw, field.name
        if field.nullable and draw.random() < 0.3:
            return None
        if name == "bet":
            known = c.BETS | c.PAYMENTS if kind in {"BetSettled", "SettlementCorrected"} else c.BETS
            return draw.choice(sorted(known))
        if name in WORDS:
            return draw.choice(sorted(WORDS[name]))
        if name == "limits":
            bets = draw.sample(sorted(c.BETS), draw.choice((1, 2, len(c.BETS))))
            return {b: {"min": self._amount(0), "max": self._amount(0)} for b in bets}
        if name == "moves":
            return [self._move() for _ in range(draw.choice((1, 2, 20)))]
        if field.base is bool:
            return draw.random() < 0.5
        if field.base is bytes:
            return draw.randbytes(c.SIGNATURE_SIZE)
        if field.base is int:
            return self._number(kind, name)
        return self._text(name)

    def _number(self, kind: str, name: str) -> int:
        draw = self._draw
        if name == "box":
            return draw.choice((1, 2, 7, 8, 21, c.MAX_BOX))
        if name in {"hand", "new_hand"}:
            return draw.choice((1, 2, 4, 5, c.MAX_HAND))
        if name in {"amount", "jackpot_bet", *_FROM_ZERO} and name != "cards_left":
            return self._amount(0 if name in _FROM_ZERO or kind == "JackpotRead" else 1)
        low = 0 if name in _FROM_ZERO else 1
        return draw.choice((low, 1, 2, 8, 9, 100, c.INT_MAX))

    def _amount(self, low: int) -> int:
        few = (low, 1, 99, 100, 2500, 10**6, AMOUNT_CENTS - 1, AMOUNT_CENTS)
        return self._draw.choice((*few, AMOUNT_CENTS + 1, c.LONG_MAX))

    def _move(self) -> dict[str, int]:
        draw = self._draw
        box = draw.choice((0, 1, 2, c.MAX_BOX))
        return {
            "draw": draw.choice((1, 2, 5, c.INT_MAX)),
            "box": box,
            "hand": 0 if box == 0 else draw.choice((1, 2, c.MAX_HAND)),
        }

    def _text(self, name: str) -> str:
        draw = self._draw
        if name == "rulebook":
            return draw.choice((*_BOOKS, *_TEXTS))
        if name == "card":
            return draw.choice(_CARDS)
        if name == "clause":
            return draw.choice(("", "5.5.1", "3.25.4", *_TEXTS))
        if name in {"reason", "detail"}:
            return draw.choice(("", *_TEXTS))
        return draw.choice(_TEXTS)
