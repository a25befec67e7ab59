"""The archive against the seals of checkpoints that were kept: tables' chains, and the quarantine.

A chain proves nothing across a gap: what was changed before one still leads to the same head. The
seal has a line for every event, so it does not depend on the chain being whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from events.archive import quarantine
from events.archive.entries import TableEntries
from events.archive.findings import ArchiveProblem, Trouble
from events.archive.reader import Archive
from events.chain import Break, ChainReport, ChainVerdict, Head
from events.checkpoints import QUARANTINE, Checkpoint
from events.seal import Entry, seal_of

Spans = Mapping[str, tuple[int, int]]


def seal_breaks(
    archive: Archive, kept: Iterable[Checkpoint], within: Spans | None = None
) -> Iterator[Break]:
    """Each kept seal that the archive's events do not give. `within`: only seals of these numbers.

    Read from the columns, which verification has held against the evidence.
    """
    sealed = [c for c in kept if c.seal is not None and c.of_table]
    for table, some in groupby(sorted(sealed, key=lambda c: c.table), key=lambda c: c.table):
        mine = [c for c in dict.fromkeys(some) if _inside(c, table, within)]
        if not mine:
            continue
        entries = TableEntries(archive, table)
        for c in sorted(mine, key=lambda c: (c.first or 0, c.seq, c.at)):
            entries.forget(c.first or 1)
            if (broken := _broken(entries, c)) is not None:
                yield broken


def _inside(c: Checkpoint, table: str, within: Spans | None) -> bool:
    if within is None:
        return True
    first, last = within.get(table, (1, 0))
    return first <= (c.first or 0) and c.seq <= last


def _broken(entries: TableEntries, c: Checkpoint) -> Break | None:
    first = c.first or 1
    now = entries.between(first, c.seq)
    if c.seal in {seal_of(now), seal_of(entries.first_claims(first, c.seq))}:
        return None
    if any(c.seal == seal_of(then) for then in entries.as_they_came(first, c.seq)):
        return None  # what was sealed is there, and more came later
    says = (
        f"events {first} to {c.seq} are not the ones that the checkpoint of "
        f"{c.at:%Y-%m-%d %H:%M:%S} UTC sealed ({c.reason}): one of them was changed, added or "
        f"taken away since{_clue(now, first, c.seq)}"
    )
    return Break(ChainVerdict.SEAL_DIFFERS, c.table, first, c.seq, says)


def _clue(now: Sequence[Entry], first: int, last: int) -> str:
    """What helps to find it: numbers that are missing or twice now may not have been then."""
    numbers = [first - 1, *(entry.seq for entry in now), last + 1]
    missing = sum(b - a - 1 for a, b in pairwise(numbers) if b > a + 1)
    twice = sum(1 for a, b in pairwise(numbers) if a == b)
    if not missing and not twice:
        return ""
    return f"; of these numbers {missing:,} are missing now and {twice:,} stand twice"


def with_breaks(reports: Sequence[ChainReport], found: Iterable[Break]) -> list[ChainReport]:
    """The reports of the tables' chains with what the seals say."""
    by_table = {report.table: report for report in reports}
    for one in found:
        held = by_table.get(one.table) or ChainReport(one.table, 0, Head(), ())
        by_table[one.table] = replace(held, breaks=(*held.breaks, one))
    return [by_table[table] for table in sorted(by_table)]


def quarantine_problems(archive: Archive, kept: Iterable[Checkpoint]) -> list[ArchiveProblem]:
    """What a kept checkpoint says of the quarantine, against what lies there now."""
    mine = sorted((c for c in kept if c.table == QUARANTINE), key=lambda c: (c.seq, c.at))
    seals = _seals(archive, {c.seq for c in mine})
    good = 0
    for c in mine:
        if seals.get(c.seq) == c.seal:
            good = max(good, c.seq)
            continue
        says = (
            f"of the messages {good + 1} to {c.seq} in quarantine one was changed or taken away "
            f"since the checkpoint of {c.at:%Y-%m-%d %H:%M:%S} UTC sealed them ({c.reason})"
        )
        return [ArchiveProblem(Trouble.QUARANTINE_DIFFERS, says)]
    return []


def _seals(archive: Archive, ends: set[int]) -> dict[int, bytes]:
    """The seal of everything up to each of some numbers, in one pass."""
    digest, out = hashlib.sha256(), {}
    for number, line in quarantine.lines(archive.db):
        digest.update(f"{line}\n".encode())
        if number in ends:
            out[number] = digest.digest()
    return out
