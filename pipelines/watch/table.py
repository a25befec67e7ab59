"""One table while it plays: a window of its last rounds, and what was told of them.

Whenever something changes that a round is judged by, the rounds of the window are looked at as
the night will look at them (checks/in_window.py), and only what differs from what was told before
is told. The window has a bound in rounds and in events, however long a round or a shoe goes on.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from checks.context import RoundContext, has_meter
from checks.in_window import WindowContexts, WindowEvent, WindowPast
from checks.shoes.walk import TYPES
from checks.table_day import audit_bounded
from events.archive.quarantine import Quarantined
from pipelines.watch.keys import WatchKeys
from pipelines.watch.told import LiveWord, StandingFindings, differing, status_of
from replay.fold import micros

KEEP_ROUNDS = 6
"""So many of the last rounds of a table stay in the window: what comes late mostly comes soon."""
SLACK_ROUNDS = 4
"""So many more may be in it before it is cut, so that not every round costs a cut."""
MOST_EVENTS = 6_000
"""A window with more events is cut: the round that makes it so long is judged from the archive."""
MOST_UNREADABLE = 16
MOST_CLOSINGS = 240


class LateEvent(NamedTuple):
    """An event of something that has left the window: the archive is asked, once it has it."""

    table: str
    round: str | None
    seq: int


@dataclass(slots=True)
class _Watched:
    """A round of the window."""

    first_seq: int
    opened_us: int | None
    dealer: str | None = None
    closed: bool = False
    over: bool = False  # it is judged as it stands, though it was not closed
    seen: tuple[tuple[int | None, ...], RoundContext] | None = None  # what it was judged by
    told: dict[str, str] = field(default_factory=dict)
    status: str | None = None


class TableWatch:
    """A table. `take` gives what is to be told; `silent` takes without telling."""

    def __init__(
        self,
        table: str,
        past: WindowPast | None = None,
        standing: StandingFindings | None = None,
        turned: Iterable[str] = (),
        keys: WatchKeys | None = None,
    ) -> None:
        self.table = table
        self._keys = keys or WatchKeys()
        self.past = past or WindowPast()
        self._standing = standing
        self._turned = frozenset(turned)
        self.events: list[WindowEvent] = []
        self.rounds: dict[str, _Watched] = {}
        self.late: list[LateEvent] = []
        self.whole = True
        self.closed = False
        self.last_us: int | None = self.past.last.at
        self.closings: deque[int] = deque(maxlen=MOST_CLOSINGS)
        self._head = self.past.last
        self._now: WindowContexts | None = None
        self._unreadable: list[tuple[int, Quarantined]] = []
        self._beside: dict[str, str] = {}
        if standing is not None:
            self._beside = _since(standing.of(table, None), self.past.last.seq)

    # -- what comes ----------------------------------------------------------------------------

    def current_round(self) -> str | None:
        """The round that was opened last and is not closed."""
        newest = max(self.rounds.items(), key=lambda pair: pair[1].first_seq, default=None)
        return None if newest is None or newest[1].closed else newest[0]

    @property
    def findings(self) -> int:
        """How many stand, of the window's rounds and beside them."""
        return sum(len(r.told) for r in self.rounds.values()) + len(self._beside)

    def _note(self, kind: str, at_us: int | None) -> None:
        """How the table stands, for those who look at the floor."""
        self.last_us = at_us if at_us is not None else self.last_us
        if kind == "RoundClosed" and at_us is not None:
            self.closings.append(at_us)
        if kind in {"TableClosed", "TableOpened", "RoundOpened"}:
            self.closed = kind == "TableClosed"

    def take(self, one: WindowEvent, *, silent: bool = False) -> list[LiveWord]:
        """An event of the table."""
        if one.seq <= self.past.last.seq:
            self._is_late(one)
            return []
        joins = self._joins(one) and not self._keys.is_refused(self.table, one)
        self.whole = self.whole and joins
        self.events.append(one)
        if self._now is not None and self.whole and self._now.can_grow(one):
            self._now.grow(one)
        else:
            self._now = None
        name, kind = one.event.round, one.event.type
        self._note(kind, micros(one.event.at))
        known = None if name is None else self._round_of(name, one)
        due = not joins or (name is None and kind in TYPES and kind != "ShoeStarted")
        if known is not None:
            due = due or known.seen is not None or kind == "RoundClosed"
            known.closed = known.closed or kind == "RoundClosed"
        due = due or kind == "TableClosed"
        due = due or (one.signed is not None and not self.whole)  # of two tails it may decide
        if one.seq > self._head.seq:
            self._head = one.link
        told = self._look() if due and not silent else []
        return told + self._slide(silent)

    def take_unreadable(self, q: Quarantined, *, silent: bool = False) -> list[LiveWord]:
        """A message of the table that is no event. One that has no end is not kept for long."""
        self.whole, self._now = False, None
        self._unreadable.append((self._head.seq, q))
        del self._unreadable[:-MOST_UNREADABLE]
        return [] if silent else self._look()

    def day_over(self, ended: Callable[[int | None], bool]) -> list[LiveWord]:
        """Rounds that were opened on a day that is over are judged as they stand."""
        waiting = [r for r in self.rounds.values() if not (r.closed or r.over or r.seen)]
        over = [r for r in waiting if ended(r.opened_us)]
        for r in over:
            r.over = True
        return self._look() if over else []

    def _joins(self, one: WindowEvent) -> bool:
        """Whether an event goes on from the one before it: number, hash and clock."""
        head, at = self._head, micros(one.event.at)
        return (
            one.seq == head.seq + 1
            and one.event.prev == head.hash
            and (head.at is None or at is None or at >= head.at)
        )

    def _round_of(self, name: str, one: WindowEvent) -> _Watched | None:
        """The event's round. One whose opening is not in the window was opened before it, unless
        its opening may be among events that are missing."""
        known = self.rounds.get(name)
        kind = one.event.type
        if known is None and kind != "ShoeStarted":
            if kind != "RoundOpened" and self._has(one.seq - 1):
                self._is_late(one)
                return None
            told = {} if self._standing is None else dict(self._standing.of(self.table, name))
            known = self.rounds[name] = _Watched(one.seq, micros(one.event.at), told=told)
        if known is not None and kind == "RoundOpened":
            known.dealer = known.dealer or getattr(one.event.event, "dealer", None)
            known.first_seq = min(known.first_seq, one.seq)
        return known

    def _has(self, seq: int) -> bool:
        last = self.past.last.seq
        return seq == last or any(one.seq == seq for one in reversed(self.events))

    def _is_late(self, one: WindowEvent) -> None:
        self.late.append(LateEvent(self.table, one.event.round, one.seq))

    # -- what it means -------------------------------------------------------------------------

    def _look(self) -> list[LiveWord]:
        """Judge what changed, and give what differs from what was told."""
        contexts = self._contexts()
        last_closed = max((r.first_seq for r in self.rounds.values() if r.closed), default=0)
        out: list[LiveWord] = []
        for name, watched in self.rounds.items():
            there = name in contexts.rounds
            if there and watched.seen is not None and name not in contexts.touched:
                continue
            over = watched.closed or watched.over or watched.seen or watched.first_seq < last_closed
            if over and there:
                out += self._judge(name, watched, contexts)
            elif not there:
                lost = {f.id: f for f in contexts.of_nothing(name)}
                out += differing(lost, watched.told, self.table, name, watched.dealer)
                watched.seen = watched.status = None
        contexts.touched.clear()
        beside = {f.id: f for f in contexts.besides()}
        out += differing(beside, self._beside, self.table)
        return out

    def _contexts(self) -> WindowContexts:
        """The window as it stands, gone on with where that is enough."""
        if self._now is None:
            self._now = WindowContexts(
                self.table,
                self.past,
                self.events,
                [q for _, q in self._unreadable],
                signatures=self._keys.of(self.table),
                whole=self.whole,
            )
        return self._now

    def _judge(self, name: str, watched: _Watched, contexts: WindowContexts) -> list[LiveWord]:
        events, _ = contexts.rounds[name]
        by = (tuple(e.seq for e in events), contexts.of(name))
        if watched.seen == by:
            return []
        watched.seen = by
        facts = contexts.facts(name)
        answer, _ = audit_bounded(facts, by[1], self._turned)
        found = {f.id: f for f in answer.findings}
        out = differing(found, watched.told, self.table, name, watched.dealer, watched.opened_us)
        status = status_of(facts, answer, has_meter(facts))
        if status != watched.status:
            watched.status = status
            out.append(LiveWord("round", name, self.table, name, status, dealer=watched.dealer))
        return out

    # -- what leaves the window ----------------------------------------------------------------

    def _slide(self, silent: bool) -> list[LiveWord]:
        """Let go of rounds that are long over; one that never ended is judged as it stands."""
        told: list[LiveWord] = []
        if len(self.rounds) > KEEP_ROUNDS + SLACK_ROUNDS:
            order = sorted(self.rounds, key=lambda name: self.rounds[name].first_seq)
            first_kept, gone = self.rounds[order[-KEEP_ROUNDS]].first_seq, order[:-KEEP_ROUNDS]
            waiting = [name for name in gone if self.rounds[name].seen is None]
            if waiting and not silent:
                for name in waiting:
                    self.rounds[name].over = True
                told = self._look()
            self._drop(first_kept, gone)
        elif len(self.events) > MOST_EVENTS:
            middle = sorted(one.seq for one in self.events)[len(self.events) // 2]
            self._drop(middle, [n for n, r in self.rounds.items() if r.first_seq < middle])
        return told

    def _drop(self, before_seq: int, rounds: Collection[str]) -> None:
        self.past.pass_over(e for e in self._contexts().events if e.seq < before_seq)
        self.past.shoes.forget(rounds)
        for name in rounds:
            del self.rounds[name]
        self.events = [e for e in self.events if e.seq >= before_seq]
        self._now = None
        # what could not be read may fill a gap right at the edge
        edge = before_seq - 1 - len(self._unreadable)
        self._unreadable = [(seq, q) for seq, q in self._unreadable if seq >= edge]
        if not self.whole and self._contexts().whole:
            self.whole, self._now = True, None
        self._beside = _since(self._beside, before_seq - 1)


def _since(told: Mapping[str, str], seq: int) -> dict[str, str]:
    """Of what was told beside the rounds, what events after a number show."""
    return {id_: text for id_, text in told.items() if (json.loads(text)["seq"] or 0) > seq}
