"""The contexts of the rounds within a window of a table's record, while the table plays.

The same walks as of a day in the archive (checks/in_day.py) over the last few rounds, going on from
what is known of the table before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import NamedTuple

from checks.context import ALONE, NextRound, RoundContext, ShoeStart
from checks.record.clock import in_window
from checks.record.columns import undecodable
from checks.record.file import record_finding
from checks.record.links import RecordLink, Walk, walk
from checks.record.tails import NO_SIGNATURES, Signatures
from checks.shoes.walk import TYPES, ShoeWalk, shoe_finding, shoe_step
from events.archive.quarantine import Quarantined
from events.chain import QuarantinedLink
from events.codec import GENESIS
from events.model import Envelope, RoundOpened, ShoeStarted
from events.trust.heads import SignedHead
from replay.answer import Finding
from replay.facts import Round
from replay.fold import fold_round, micros

_GAPS_KEPT = 64


class WindowEvent(NamedTuple):
    """An event that has a number, and the hash of its body.

    `arrived_us`: when it counts, where its own clock was wrong. `signed`: of a HeadSigned.
    """

    event: Envelope
    seq: int
    hash: bytes
    arrived_us: int | None = None
    signed: SignedHead | None = None

    @property
    def link(self) -> RecordLink:
        e = self.event
        at = micros(e.at) if self.arrived_us is None else None
        return RecordLink(self.seq, at, e.round, e.prev, self.hash, signed=self.signed)


BEGINNING = RecordLink(0, None, None, None, GENESIS)
"""What stands before a table's first event."""


@dataclass(slots=True)
class WindowPast:
    """What is known of a table before the window: all that its rounds are judged by besides."""

    last: RecordLink = BEGINNING
    shoes: ShoeWalk = field(default_factory=ShoeWalk)
    starts: dict[str, ShoeStart] = field(default_factory=dict)
    gaps: list[int] = field(default_factory=list)

    def pass_over(self, events: Iterable[WindowEvent]) -> None:
        """These events leave the window; each number once, in order."""
        for one in events:
            if one.seq > self.last.seq + 1:
                self.gaps.append(one.seq)
            self._shoes(one)
            self.last = one.link
        del self.gaps[:-_GAPS_KEPT]
        self.shoes = self.shoes.branch(self.gaps)

    def _shoes(self, one: WindowEvent) -> None:
        event = one.event.event
        if isinstance(event, ShoeStarted):
            self.starts[event.shoe] = ShoeStart(event.shuffled, one.seq)
            while len(self.starts) > _GAPS_KEPT:
                del self.starts[next(iter(self.starts))]
        if one.event.type in TYPES:
            self.shoes.take(shoe_step(one.event, one.seq))


class WindowContexts:
    """The rounds of a window with their events as they count, and the context of each.

    events: those that count, each number once, in order.
    """

    def __init__(
        self,
        table: str,
        past: WindowPast,
        arrived: Sequence[WindowEvent],
        unreadable: Sequence[Quarantined] = (),
        *,
        signatures: Signatures = NO_SIGNATURES,
        whole: bool = False,
    ) -> None:
        """arrived: the table's events since `past`, in the order in which they came.

        unreadable: messages of the table that could not be read.
        signatures: the keys of the table's gateway.
        whole: that the numbers, hashes and times join and no signature is wrong is known already.
        """
        self._table, self._past = table, past
        seen = None if whole else _walked(past, arrived, unreadable, signatures)
        self.events = list(arrived) if seen is None else [arrived[k.place] for k in _own(seen)]
        self.whole = seen is None or not (seen.problems or unreadable)
        self._record: dict[str | None, list[Finding]] = {}
        for problem in () if seen is None else seen.problems:
            self._note(record_finding(table, problem))
        for finding in undecodable(_ANY_DAY, (_today(q) for q in unreadable), seen):
            self._note(finding)
        self._timed = any(one.arrived_us is not None for one in self.events)
        if self._timed:
            timed = [(one.event, one.seq, one.arrived_us) for one in self.events]
            goes_on = past.last.seq > 0 and past.last.at is None
            for finding in in_window(table, timed, goes_on=goes_on):
                self._note(finding)
        self._arrived = _by_arrival(self.events) if self._timed else {}
        self._begin_walk()
        for one in self.events:
            self._walk(one)

    def _note(self, finding: Finding) -> None:
        self._record.setdefault(finding.round, []).append(finding)

    def can_grow(self, one: WindowEvent) -> bool:
        """Whether an event that joins the last one changes nothing about those before it."""
        return self.whole and not self._timed and one.arrived_us is None

    def grow(self, one: WindowEvent) -> None:
        """Go on with an event that joins the last one and is no reason to look at the others."""
        self.events.append(one)
        self._walk(one)

    def _begin_walk(self) -> None:
        self.rounds: dict[str, tuple[list[Envelope], bool | None]] = {}
        self.touched: set[str] = set()
        """Rounds about which something was learned; whoever looks at them empties it."""
        self._last, self._gaps = self._past.last.seq, list(self._past.gaps)
        self._shoes = self._past.shoes.branch(self._gaps)
        self._shoe_problems: dict[str | None, list[Finding]] = {}
        self._shuffled: dict[str, bool] = {}
        self._opened: set[str] = set()
        self._opened_last: str | None = None
        self._next: dict[str, NextRound] = {}

    def _walk(self, one: WindowEvent) -> None:
        """One event that counts, the next by number."""
        if one.seq > self._last + 1:
            self._gaps.append(one.seq)
        self._last = one.seq
        envelope = one.event
        if envelope.type in TYPES:
            self._shoes.take(shoe_step(envelope, one.seq))
            while self._shoes.out:
                found = shoe_finding(self._table, self._shoes.out.pop(0))
                self._shoe_problems.setdefault(found.round, []).append(found)
                self._touch(found.round)
        event, name = envelope.event, envelope.round
        if isinstance(event, ShoeStarted):
            self._shuffled[event.shoe] = event.shuffled
        elif name is not None:
            events, shuffled = self.rounds.get(name) or ([], None)
            events.append(envelope)
            if isinstance(event, RoundOpened) and name not in self._opened:
                shuffled = self._shuffled.get(event.shoe)
                self._note_opening(name, one.seq)
            self.rounds[name] = events, shuffled
            self._touch(name)

    def _note_opening(self, name: str, seq: int) -> None:
        self._opened.add(name)
        if self._opened_last is not None:
            self._next[self._opened_last] = NextRound(name, seq)
        self._opened_last = name

    def _touch(self, name: str | None) -> None:
        if name is not None:
            self.touched.add(name)

    def facts(self, name: str) -> Round:
        """The facts of one of the rounds."""
        events, shuffled = self.rounds[name]
        return fold_round(events, round_id=name, shuffled=shuffled)

    def of(self, name: str) -> RoundContext:
        """The context of one of the rounds. Most have nothing in it."""
        events, shuffled = self.rounds[name]
        after = self._next.get(name)
        if after is not None and (events[-1].seq or 0) <= after.seq:
            after = None
        shoe = None if shuffled is not None else self._start(events)
        record, shoes = self._record.get(name, ()), self._shoe_problems.get(name, ())
        opened_us = self._arrived.get(name)
        if after is None and shoe is None and not record and not shoes and opened_us is None:
            return ALONE
        return RoundContext(
            shoe=shoe,
            next_round=after,
            record=tuple(record),
            shoe_problems=tuple(shoes),
            opened_us=opened_us,
        )

    def _start(self, events: Sequence[Envelope]) -> ShoeStart | None:
        opening = next((e.event for e in events if isinstance(e.event, RoundOpened)), None)
        return None if opening is None else self._past.starts.get(opening.shoe)

    def of_nothing(self, name: str) -> list[Finding]:
        """What was found at a round of which no event counts."""
        return [*self._record.get(name, ()), *self._shoe_problems.get(name, ())]

    def besides(self) -> list[Finding]:
        """What was found and belongs to no round."""
        return [*self._record.get(None, ()), *self._shoe_problems.get(None, ())]


_ANY_DAY = date.min


def _today(q: Quarantined) -> Quarantined:
    """In a window there is one day."""
    return replace(q, day=_ANY_DAY)


def _walked(
    past: WindowPast,
    arrived: Sequence[WindowEvent],
    unreadable: Sequence[Quarantined],
    signatures: Signatures,
) -> Walk:
    links = [one.link._replace(place=place) for place, one in enumerate(arrived)]
    if not signatures.keys.keys:  # then a signature is an event like others, as in the night
        links = [link._replace(signed=None) for link in links]
    bodies = QuarantinedLink(q.raw for q in unreadable if q.kind != "damage")
    return walk(links, others=(past.last,), unreadable=bodies, signatures=signatures)


def _own(seen: Walk) -> list[RecordLink]:
    return [link for link in seen.kept if link.place >= 0]


def _by_arrival(events: Iterable[WindowEvent]) -> dict[str, int]:
    """By round when it opened, where that is its arrival."""
    first: dict[str, int | None] = {}
    for one in events:
        if one.event.round is not None and isinstance(one.event.event, RoundOpened):
            first.setdefault(one.event.round, one.arrived_us)
    return {name: arrived for name, arrived in first.items() if arrived is not None}
