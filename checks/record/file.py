"""The record of a file: numbers without gaps, each once and in order, and a clock that goes on.

What a hand-written round leaves out is not checked. A file holds no bytes as they were sent, so
the chain of hashes is looked at in the archive only (checks/record/columns.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from checks.record.links import RecordLink, RecordProblem, walk
from events.model import Envelope, HeadSigned
from events.registry import TableRegistry
from events.trust.heads import HeadKeys, HeadVerdict, SignedHead
from replay.answer import Finding
from replay.fold import micros


class Examined(NamedTuple):
    """A file's events as they count, and what is wrong with the record, by round.

    Events that came twice count once; a table's numbered events count in the order of their
    numbers, as in the archive. What is wrong between rounds stands with the round that follows it,
    or with the last.
    """

    events: list[Envelope]
    findings: dict[str, list[Finding]]


def examine(envelopes: Sequence[Envelope], registry: TableRegistry | None = None) -> Examined:
    """Look at the record of events in the order in which they came.

    registry: the keys of gateways. Without the bytes nobody can say what a signature covers, and a
        part of a log knows no end of a day: only one that does not fit its own event is told.
    """
    numbered: dict[str, list[RecordLink]] = {}
    for place, e in enumerate(envelopes):
        if e.table is not None and e.seq is not None:
            link = RecordLink(e.seq, micros(e.at), e.round, None, None, place, _signed(e))
            numbered.setdefault(e.table, []).append(link)
    ordered: list[Envelope | None] = list(envelopes)
    problems: list[tuple[str, RecordProblem]] = []
    for table, links in numbered.items():
        seen = walk(links)
        problems += [(table, problem) for problem in seen.problems]
        known = None if registry is None else registry.tables.get(table)
        if known is not None and known.keys:
            keys = HeadKeys(table, known.keys)
            problems += [(table, problem) for problem in _wrong(envelopes, seen.kept, keys)]
        kept = iter([envelopes[link.place] for link in seen.kept])
        for link in links:  # the table's own places, filled in the order of the numbers
            ordered[link.place] = next(kept, None)
    events = [e for e in ordered if e is not None]
    return Examined(events, _by_round(events, problems) if problems else {})


def _signed(e: Envelope) -> SignedHead | None:
    """What a signature says; its day matters only where keys are asked what they may sign."""
    if not isinstance(e.event, HeadSigned):
        return None
    return SignedHead(e.event.key, e.event.signature, date.min)


def _wrong(
    envelopes: Sequence[Envelope], kept: Sequence[RecordLink], keys: HeadKeys
) -> Iterator[RecordProblem]:
    """The signatures after the last that fits, if there are any: as in the archive, those before it
    are not looked at."""
    wrong: list[tuple[RecordLink, str]] = []
    for link in reversed(kept):
        prev = envelopes[link.place].prev
        if link.signed is None or prev is None:
            continue
        verdict, why = keys.judge(link.signed, link.seq, prev)
        if verdict is not HeadVerdict.WRONG:
            break
        wrong.insert(0, (link, why))
    if wrong:
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        says = f"the signature of event {wrong[0][0].seq}{more} is not valid: {wrong[0][1]}"
        yield RecordProblem("wrong_signature", wrong[0][0], says)


def _by_round(
    events: Sequence[Envelope], problems: Sequence[tuple[str, RecordProblem]]
) -> dict[str, list[Finding]]:
    out: dict[str, list[Finding]] = {}
    for table, problem in problems:
        link = problem.link
        holder = link.round or _nearest(events, table, link.seq)
        if holder is not None:
            out.setdefault(holder, []).append(record_finding(table, problem))
    return out


def _nearest(events: Sequence[Envelope], table: str, seq: int) -> str | None:
    """The first round after a number, or the last one before it."""
    rounds = [(e.seq or 0, e.round) for e in events if e.table == table and e.round is not None]
    after = [round_ for number, round_ in rounds if number > seq]
    return after[0] if after else (rounds[-1][1] if rounds else None)


def record_finding(table: str | None, problem: RecordProblem) -> Finding:
    """What is wrong with the record, as a finding."""
    kind, link, says = problem
    where = f"round {link.round}" if link.round is not None else f"table {table}"
    return integrity(kind, table, link.round, link.seq, f"{where}: {says}", link.seq)


def integrity(
    kind: str, table: str | None, round_: str | None, seq: int | None, says: str, at: int | None
) -> Finding:
    """A finding without a place on the layout and without money."""
    return Finding(
        kind=kind,
        table=table,
        round=round_,
        seq=seq,
        box=None,
        hand=None,
        player=None,
        bet=None,
        expected=None,
        recorded=None,
        money=None,
        clauses=(),
        message=says,
        at=at,
    )
