"""The record itself: numbers without gaps, each once and in order, and a clock that goes on.

What a hand-written round leaves out is not checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from events.model import Envelope
from replay.answer import Finding


def record_findings(envelopes: Iterable[Envelope]) -> dict[str, list[Finding]]:
    """Integrity findings of events in the order received, by the round that shows them."""
    out: dict[str, list[Finding]] = {}
    heads: dict[str, tuple[int, datetime | None]] = {}
    seen: dict[str, set[int]] = {}
    places: dict[str, int] = {}
    for envelope in envelopes:
        at = None
        if envelope.round is not None:
            at = places[envelope.round] = places.get(envelope.round, -1) + 1
        table, seq = envelope.table, envelope.seq
        if table is None or seq is None:
            continue
        before = heads.get(table)
        numbers = seen.setdefault(table, set())
        if before is not None:
            for kind, says in _problems(before, numbers, envelope, seq):
                if envelope.round is not None:
                    out.setdefault(envelope.round, []).append(_finding(kind, says, envelope, at))
        numbers.add(seq)
        if before is None or seq > before[0]:
            heads[table] = (seq, envelope.at or (before[1] if before else None))
    return out


def _problems(
    before: tuple[int, datetime | None], numbers: set[int], envelope: Envelope, seq: int
) -> list[tuple[str, str]]:
    last, clock = before
    if seq in numbers:
        return [("duplicate_event", f"event {seq} is there twice")]
    if seq < last:
        return [("out_of_order", f"event {seq} came after event {last}")]
    found = []
    if seq > last + 1:
        gone = f"event {last + 1}" if seq == last + 2 else f"events {last + 1} to {seq - 1}"
        found.append(("sequence_gap", f"{gone} of the table missing before event {seq}"))
    if clock is not None and envelope.at is not None and envelope.at < clock:
        found.append(("clock_backwards", f"event {seq} is earlier than the one before it"))
    return found


def _finding(kind: str, says: str, envelope: Envelope, at: int | None) -> Finding:
    return Finding(
        kind,
        envelope.table,
        envelope.round,
        envelope.seq,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        (),
        f"round {envelope.round}: {says}",
        at,
    )
