"""The record of a file: numbers without gaps, each once and in order, a clock that goes on, and
signatures where the keys of its gateway are known.

What a hand-written round leaves out is not checked. A file holds no bytes as they were sent, so
whether the hashes join is looked at in the archive only (checks/record/columns.py). Which event an
event goes on from is known all the same: its number says it, or where two claim that number, the
hash of the one that was named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from checks.record.links import RecordLink, RecordProblem, walk
from checks.record.tails import NO_SIGNATURES, Signatures
from events.codec import encode_body, hash_body
from events.errors import ContractError
from events.model import Envelope, HeadSigned
from events.trust.heads import GatewayKeys, SignedHead
from replay.answer import Finding
from replay.fold import micros

_NO_BYTES = frozenset({"broken_chain"})
"""What only the bytes as they were sent can show."""


class Examined(NamedTuple):
    """A file's events as they count, and what is wrong with the record, by round.

    Events that came twice count once; a table's numbered events count in the order of their
    numbers, as in the archive. What is wrong between rounds, or with a round that does not count,
    stands with the round that follows it, or with the last.
    """

    events: list[Envelope]
    findings: dict[str, list[Finding]]


def examine(envelopes: Sequence[Envelope], keys: GatewayKeys | None = None) -> Examined:
    """Look at the record of events in the order in which they came.

    keys: those of the house's gateways. The end of the file counts as the end of the day.
    """
    numbered: dict[str, list[int]] = {}
    for place, e in enumerate(envelopes):
        if e.table is not None and e.seq is not None:
            numbered.setdefault(e.table, []).append(place)
    ordered: list[Envelope | None] = list(envelopes)
    problems: list[tuple[str, RecordProblem]] = []
    for table, places in numbered.items():
        asked = _signatures(table, [envelopes[place] for place in places], keys)
        links = _links(envelopes, places, None if asked is NO_SIGNATURES else keys)
        seen = walk(links, signatures=asked)
        problems += [(table, found) for found in seen.problems if found.kind not in _NO_BYTES]
        kept = iter([envelopes[link.place] for link in seen.kept])
        for link in links:  # the table's own places, filled in the order of the numbers
            ordered[link.place] = next(kept, None)
    events = [e for e in ordered if e is not None]
    return Examined(events, _by_round(events, problems) if problems else {})


def _signatures(table: str, events: Sequence[Envelope], keys: GatewayKeys | None) -> Signatures:
    """What is asked of a table's signatures: nothing where the events say no hash or no time, as in
    rounds that somebody wrote by hand."""
    known = None if keys is None else keys.of(table)
    if keys is None or known is None or not known.keys:
        return NO_SIGNATURES
    if any(e.prev is None or e.at is None for e in events):
        return NO_SIGNATURES
    return Signatures(known, since_us=keys.since_us(table) or 0)


def _links(
    envelopes: Sequence[Envelope], places: Sequence[int], keys: GatewayKeys | None
) -> list[RecordLink]:
    """A table's events as the walk needs them; with hashes only where keys are asked for."""
    hashes = {} if keys is None else _hashes({place: envelopes[place] for place in places})
    out = []
    for place in places:
        e = envelopes[place]
        prev = None if keys is None else e.prev
        at, signed = micros(e.at), _signed(e, keys)
        out.append(RecordLink(e.seq or 0, at, e.round, prev, hashes.get(place), place, signed))
    return out


def _signed(e: Envelope, keys: GatewayKeys | None) -> SignedHead | None:
    if not isinstance(e.event, HeadSigned):
        return None
    day = date.min if keys is None or e.at is None else keys.gaming_day.day_of(e.at)
    return SignedHead(e.event.key, e.event.signature, day)


def _hashes(events: Mapping[int, Envelope]) -> dict[int, bytes]:
    """By place the hash of each event: as the next one names it, or where that leaves a choice, of
    its fields encoded as gateways encode them."""
    claims: dict[int, int] = {}
    named: dict[int, set[bytes]] = {}
    for e in events.values():
        seq = e.seq or 0
        claims[seq] = claims.get(seq, 0) + 1
        if e.prev is not None:
            named.setdefault(seq - 1, set()).add(e.prev)
    out = {}
    for place, e in events.items():
        after = named.get(e.seq or 0, set())
        if claims[e.seq or 0] == len(after) == 1:
            out[place] = next(iter(after))
            continue
        try:
            out[place] = hash_body(encode_body(e))
        except ContractError:  # an envelope that leaves something out was never sent so
            continue
    return out


def _by_round(
    events: Sequence[Envelope], problems: Sequence[tuple[str, RecordProblem]]
) -> dict[str, list[Finding]]:
    out: dict[str, list[Finding]] = {}
    counting = {e.round for e in events}
    for table, problem in problems:
        link = problem.link
        own = link.round if link.round in counting else None
        holder = own or _nearest(events, table, link.seq)
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
