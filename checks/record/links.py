"""The walk along one table's record: numbers without gaps, each once and in order, hashes that
join, and a clock that goes on.

`evenhand replay FILE` and the nightly run both come here; the nightly run only with table-days that
a quick look at the columns did not find whole (checks/record/columns.py).
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple, cast

from checks.record.tails import NO_SIGNATURES, Signatures, TailChoice, choose, signature_problems
from events.chain import Break, ChainVerdict, Head, QuarantinedLink, TableChain
from events.codec import hash_body
from events.trust.heads import SignedHead

ELSEWHERE = -1
"""The place of an event that belongs to the chain and is audited with another day."""


class RecordLink(NamedTuple):
    """What the walk needs of one event. `place` is the caller's own number for it."""

    seq: int
    at: int | None  # microseconds since 1970
    round: str | None
    prev: bytes | None
    hash: bytes | None
    place: int = ELSEWHERE
    signed: SignedHead | None = None  # of a HeadSigned


class RecordProblem(NamedTuple):
    """One thing wrong, and the event that shows it."""

    kind: str
    link: RecordLink
    says: str


@dataclass(slots=True)
class Walk:
    """What came of a walk: what is wrong, which events count, and where unreadable ones belong."""

    problems: list[RecordProblem] = field(default_factory=list)
    kept: list[RecordLink] = field(default_factory=list)  # one per number, in order
    unread: dict[bytes, RecordLink] = field(default_factory=dict)  # hash of a body in quarantine
    tails: list[str] = field(default_factory=list)  # of two that claim a number, which counts
    refused: bool = False  # a signature that was looked at is not valid

    def add(self, kind: str, link: RecordLink, says: str) -> None:
        if link.place != ELSEWHERE:
            self.problems.append(RecordProblem(kind, link, says))


def walk(
    arrived: Sequence[RecordLink],
    *,
    others: Iterable[RecordLink] = (),
    known: Mapping[int, bytes] | None = None,
    unreadable: QuarantinedLink | None = None,
    signatures: Signatures = NO_SIGNATURES,
    overtaken: Mapping[int, int] = MappingProxyType({}),
) -> Walk:
    """Follow one table's events, given in the order in which they came.

    `others` are events of the same chain that other days hold: at least the last one before these.
    `overtaken` names for an event the nearest later one of another day that came before it.
    `known` are checkpoints, number to hash; one beyond the last event says that the end is cut off.
    """
    out = Walk()
    if not arrived:
        return out
    of_number: dict[int, list[RecordLink]] = {}
    for link in others:
        of_number.setdefault(link.seq, []).append(link)
    runs = _arrivals(arrived, of_number, overtaken)
    choice = choose(of_number, signatures, unreadable)
    out.kept, out.tails = choice.kept, choice.tails
    out.refused = bool(choice.cover.refused)
    _tell_arrivals(out, runs, of_number, choice)
    if out.kept:
        known = choice.without_dropped(known or {})
        _follow(out, known, unreadable or QuarantinedLink())
    _clock(out)
    for problem in signature_problems(of_number, choice, signatures, unreadable):
        out.add(*problem)
    out.problems.sort(key=lambda p: (p.link.seq, p.kind))
    return out


_NOBODY = sys.maxsize
"""A number that no event has."""

_Runs = list[tuple[str, list[RecordLink], int]]


def _arrivals(
    arrived: Sequence[RecordLink],
    of_number: dict[int, list[RecordLink]],
    overtaken: Mapping[int, int],
) -> _Runs:
    """Events that came again, and events that came after a later one."""
    came: list[int] = []  # the numbers so far, in order
    runs: _Runs = []
    for link in arrived:
        same = of_number.setdefault(link.seq, [])
        later = bisect_right(came, link.seq)
        # the nearest later one, whatever day has it: everybody tells the same
        nearest = overtaken.get(link.seq, _NOBODY)
        if later < len(came):
            nearest = min(nearest, came[later])
        if same:
            _join(runs, "duplicate_event", link, 0)
        elif nearest < _NOBODY:
            _join(runs, "out_of_order", link, nearest)
        came.insert(later, link.seq)
        same.append(link)
    return runs


def _tell_arrivals(
    out: Walk, runs: _Runs, of_number: Mapping[int, list[RecordLink]], choice: TailChoice
) -> None:
    lost = choice.left_out(of_number)
    told = {link.seq for run in lost for link in run}
    for run in lost:
        says = f"{events_between(run[0].seq, run[-1].seq)} came beside others with these numbers "
        says += "that a valid signature covers; those count, these do not"
        out.add("duplicate_event", run[0], says)
    for kind, run, before in runs:
        if kind == "duplicate_event" and told.issuperset(link.seq for link in run):
            continue
        first, many = of_number[run[0].seq][0], events_between(run[0].seq, run[-1].seq)
        if kind == "out_of_order":
            out.add(kind, run[0], f"{many} came after event {before}")
        else:
            other = any(link.hash != of_number[link.seq][0].hash for link in run)
            says = f"{many} came a second time"
            says += ", with another content" if other else ""
            out.add(kind, run[0] if first.place == ELSEWHERE else first, says)


def _join(runs: _Runs, kind: str, link: RecordLink, after: int) -> None:
    """A stretch of one round that came late or again is one thing wrong, not a hundred."""
    if runs:
        last_kind, run, _ = runs[-1]
        if last_kind == kind and run[-1].seq + 1 == link.seq and run[-1].round == link.round:
            run.append(link)
            return
    runs.append((kind, [link], after))


def _follow(out: Walk, known: Mapping[int, bytes], unreadable: QuarantinedLink) -> None:
    """The one walk along a chain (events/chain.py); what it found is told as a record's problem."""
    first = out.kept[0].seq
    chain = TableChain(
        "", start=Head() if first == 1 else None, known=known, quarantined=unreadable
    )
    for link in out.kept:
        chain.feed(link)
    report = chain.report()
    broken = {cast(RecordLink, b.shown_by).seq for b in report.breaks if _by_a_neighbour(b)}
    for found in report.breaks:
        shown_by = cast(RecordLink, found.shown_by)
        if found.at_checkpoint and broken & {shown_by.seq, shown_by.seq + 1}:
            continue  # told once: an event that was changed disagrees with its neighbours too
        out.add(*_problem(out, found, shown_by))
    for unread in report.unread:
        beside = cast(RecordLink, unread.shown_by)
        round_ = beside.round if unread.seq < beside.seq else None
        out.unread[hash_body(unread.body)] = beside._replace(seq=unread.seq, round=round_)


def _by_a_neighbour(found: Break) -> bool:
    return found.verdict is ChainVerdict.BROKEN and not found.at_checkpoint


def _problem(out: Walk, found: Break, shown_by: RecordLink) -> RecordProblem:
    """What is wrong with a chain, in the words of a finding."""
    if found.verdict is ChainVerdict.MISSING:
        says = f"{events_between(found.first, found.last)} of the table missing before event "
        return RecordProblem("sequence_gap", shown_by, f"{says}{shown_by.seq}")
    if found.verdict is ChainVerdict.TRUNCATED:
        rounds = (link.round for link in reversed(out.kept) if link.round is not None)
        says = f"the record ends at event {shown_by.seq}, but a checkpoint knows event "
        says += f"{found.known}: {events_between(found.first, found.last)} missing"
        return RecordProblem("truncated", shown_by._replace(round=next(rounds, None)), says)
    if found.at_checkpoint:
        says = f"event {shown_by.seq} is not the one of the checkpoint"
    elif shown_by.seq == 1:
        says = "the first event names an event before it"
    else:
        says = f"event {shown_by.seq} names another hash for the event before it than that has"
        says += ": one of the two was changed"
    return RecordProblem("broken_chain", shown_by, says)


def _clock(out: Walk) -> None:
    # the gateway signs by its own clock, and what it says of itself is no event of play
    timed = (link for link in out.kept if link.signed is None and link.at is not None)
    for before, link in pairwise(timed):
        if (link.at or 0) < (before.at or 0):
            earlier = "the one" if link.seq == before.seq + 1 else f"event {before.seq}"
            says = f"event {link.seq} is earlier than {earlier} before it"
            out.add("clock_backwards", link, says)


def events_between(first: int, last: int) -> str:
    """Numbers as a sentence has them."""
    return f"event {first}" if first == last else f"events {first} to {last}"
