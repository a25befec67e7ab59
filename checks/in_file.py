"""The contexts of the rounds of a file: all that is known of them is in the file itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checks.context import NextRound, RoundContext, ShoeStart
from checks.late import first_openings, following
from checks.record.file import examine
from checks.shoes.walk import TYPES, ShoeStep, shoe_finding, shoe_problems, shoe_step
from events.model import Envelope, RoundOpened, ShoeStarted
from events.trust.heads import GatewayKeys
from replay.answer import Finding
from replay.facts import Round
from replay.rounds import facts_of


class FileContexts:
    """The rounds of a file in the order in which they opened, and the context of each."""

    def __init__(self, envelopes: Iterable[Envelope], keys: GatewayKeys | None = None) -> None:
        self.events, self._record = examine(list(envelopes), keys)
        self.rounds = facts_of(self.events)
        self._shoe_problems = _shoe_problems(self.events)
        self._starts = _starts(self.events)
        self._next = _next(self.events)

    def of(self, round_: Round) -> RoundContext:
        return RoundContext(
            shoe=self._starts.get(round_.id),
            next_round=self._next.get(round_.id),
            record=tuple(self._record.get(round_.id, ())),
            shoe_problems=tuple(self._shoe_problems.get(round_.id, ())),
        )


def _starts(events: Iterable[Envelope]) -> dict[str, ShoeStart]:
    """By round the start of its shoe: the last one before it opened."""
    started: dict[tuple[str | None, str], ShoeStart] = {}
    out: dict[str, ShoeStart] = {}
    opened: set[str] = set()
    for e in events:
        if isinstance(e.event, ShoeStarted):
            started[e.table, e.event.shoe] = ShoeStart(e.event.shuffled, e.seq)
        elif isinstance(e.event, RoundOpened) and e.round is not None and e.round not in opened:
            opened.add(e.round)
            start = started.get((e.table, e.event.shoe))
            if start is not None:
                out[e.round] = start
    return out


def _next(events: Iterable[Envelope]) -> dict[str, NextRound]:
    """By round the next one of the same table, where its events are numbered."""
    openings: dict[str | None, list[tuple[int, str]]] = {}
    for e in events:
        if isinstance(e.event, RoundOpened) and e.round is not None and e.seq is not None:
            openings.setdefault(e.table, []).append((e.seq, e.round))
    out: dict[str, NextRound] = {}
    for some in openings.values():
        out |= following(first_openings(some))
    return out


def _shoe_problems(events: Sequence[Envelope]) -> dict[str, list[Finding]]:
    """Shoes that do not add up, by round; only where devices numbered the events."""
    steps: dict[str, list[ShoeStep]] = {}
    gaps: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    for e in events:
        if e.table is None or e.seq is None:
            continue
        if e.seq > last.get(e.table, e.seq) + 1:
            gaps.setdefault(e.table, []).append(e.seq)
        last[e.table] = e.seq
        if e.type in TYPES:
            steps.setdefault(e.table, []).append(shoe_step(e, e.seq))
    out: dict[str, list[Finding]] = {}
    for table, some in steps.items():
        for problem in shoe_problems(some, gaps.get(table, ())):
            if problem.link.round is not None:
                out.setdefault(problem.link.round, []).append(shoe_finding(table, problem))
    return out
