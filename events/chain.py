"""The chain of a table's events: each names the hash of the one before it.

Verification looks at three things of an event: its number, the hash it names and the hash it
has. It runs over the events in the order in which they came, through any number of days, and
keeps only what is still open, so that a year costs no more memory than a day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from events.codec import GENESIS, body_of, hash_body


class Verdict(StrEnum):
    """What can be said about a chain."""

    INTACT = "intact"
    BROKEN = "broken"
    MISSING = "missing"
    DUPLICATED = "duplicated"
    OUT_OF_ORDER = "out_of_order"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Link:
    """What the chain needs of one event: its number, the hash it names, the hash it has."""

    seq: int
    prev: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: the number and the hash of its last event. Seq 0: none yet."""

    seq: int = 0
    hash: bytes = GENESIS


@dataclass(frozen=True, slots=True)
class Break:
    """One thing wrong, with the events it concerns, `first` to `last`."""

    verdict: Verdict
    table: str
    first: int
    last: int
    message: str


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What was found about one table's chain."""

    table: str
    events: int
    head: Head
    breaks: tuple[Break, ...]

    @property
    def verdicts(self) -> frozenset[Verdict]:
        """`intact` alone, or all that is wrong."""
        return frozenset(b.verdict for b in self.breaks) or frozenset({Verdict.INTACT})


def link_of(record: Mapping[str, Any], message: bytes) -> Link:
    """The link of a message and its decoded record."""
    return Link(record["seq"], record["prev"], hash_body(body_of(message)))


class Quarantined:
    """Bodies that nobody could read; they keep their place where the next event's hash says so.

    An unreadable body still carries the hash that it names, as 32 bytes somewhere within; that
    is how several in a row are put in order.
    """

    def __init__(self, values: Iterable[bytes] = ()) -> None:
        self._bodies: dict[bytes, bytes] = {}
        for value in values:
            # without a readable header nobody knows where the body begins: try both
            for body in (body_of(value), value):
                self._bodies[hash_body(body)] = body

    def fill(self, named: bytes, length: int) -> list[bytes]:
        """The bodies that fill a gap from its end backwards, for as far as hashes prove it.

        `named` is the hash that the event after the gap names for the one before it.
        """
        out: list[bytes] = []
        while len(out) < length and (body := self._bodies.get(named)) is not None:
            out.append(body)
            named = next((h for h in self._bodies if h != named and h in body), b"")
        return out


class TableChain:
    """One table's chain while it is read: feed it links, then ask for the report.

    `known` are checkpoints, seq to hash, that the chain must meet. With `start` None the first
    event is taken as it is, for looking at a part of a chain.
    """

    def __init__(
        self,
        table: str,
        *,
        start: Head | None = Head(),  # noqa: B008 - frozen
        known: Mapping[int, bytes] | None = None,
        quarantined: Quarantined | None = None,
    ) -> None:
        self.table = table
        self.head = start
        self.events = 0
        self._floor = 1
        self._known = dict(known or {})
        self._quarantined = quarantined or Quarantined()
        self._gaps: list[tuple[int, int]] = []  # first and last seq of what has not come
        self._named: dict[int, bytes] = {}  # hash of an event that has not come, as named
        self._hashes: dict[int, bytes] = {}  # hash of the events before a gap
        self._mismatched: list[int] = []  # events whose `prev` is not the hash before them
        self._breaks: list[Break] = []

    def feed(self, link: Link) -> None:
        """The next event as it came."""
        self.events += 1
        head = self.head
        if head is None:
            self._floor = link.seq
            self._advance(link)
        elif link.seq == head.seq + 1:
            if link.prev != head.hash:
                self._mismatched.append(link.seq)
            self._advance(link)
        elif link.seq > head.seq:
            self._jump(head, link)
        elif gap := next((g for g in self._gaps if g[0] <= link.seq <= g[1]), None):
            self._late(gap, link, head)
        else:
            self._again(link, head)

    def _advance(self, link: Link) -> None:
        self.head = Head(link.seq, link.hash)
        if self._known and link.seq in self._known:
            self._meet(link)

    def _meet(self, link: Link) -> None:
        expected = self._known.pop(link.seq)
        if expected != link.hash:
            self._add(
                Verdict.BROKEN,
                link.seq,
                f"event {link.seq} is not the one that the checkpoint knows: expected hash "
                f"{_short(expected)}, found {_short(link.hash)}",
            )

    def _jump(self, head: Head, link: Link) -> None:
        first, last = head.seq + 1, link.seq - 1
        bodies = self._quarantined.fill(link.prev, last - first + 1)
        self.events += len(bodies)
        last -= len(bodies)
        if first <= last:
            self._gaps.append((first, last))
            self._hashes[head.seq] = head.hash
            if not bodies:
                self._named[last] = link.prev
        elif head.hash not in bodies[-1]:
            self._mismatched.append(first)
        self._advance(link)

    def _late(self, gap: tuple[int, int], link: Link, head: Head) -> None:
        """An event that had been missed: it closes its gap or a part of it."""
        seq, (first, last) = link.seq, gap
        self._gaps.remove(gap)
        self._gaps += [g for g in ((first, seq - 1), (seq + 1, last)) if g[0] <= g[1]]
        before = self._hashes.pop(seq - 1, None)
        if seq > first:
            self._named[seq - 1] = link.prev
        elif before is not None and before != link.prev:
            self._mismatched.append(seq)
        named = self._named.pop(seq, None)
        if named is not None and named != link.hash:
            self._mismatched.append(seq + 1)
        if seq < last:
            self._hashes[seq] = link.hash
        if seq in self._known:
            self._meet(link)
        self._add(Verdict.OUT_OF_ORDER, seq, f"event {seq} came after event {head.seq}")

    def _again(self, link: Link, head: Head) -> None:
        if link.seq < self._floor:
            text = f"event {link.seq} came after event {head.seq}"
            self._add(Verdict.OUT_OF_ORDER, link.seq, text)
            return
        text = f"event {link.seq} came a second time, after event {head.seq}"
        if link.seq == head.seq and link.hash != head.hash:
            text += ", with another content"
        self._add(Verdict.DUPLICATED, link.seq, text)

    def _add(self, verdict: Verdict, seq: int, message: str) -> None:
        """Note a break; one that goes on from event to event stays one."""
        last = self._breaks[-1] if self._breaks else None
        joins = verdict in (Verdict.OUT_OF_ORDER, Verdict.DUPLICATED)
        if joins and last and last.verdict is verdict and last.last + 1 == seq:
            self._breaks[-1] = replace(last, last=seq)
            return
        self._breaks.append(Break(verdict, self.table, seq, seq, message))

    def report(self) -> ChainReport:
        """What was found. More can be fed afterwards, and the report asked for again."""
        head = self.head or Head()
        breaks = [*map(_spell_out, self._breaks), *self._broken(), *self._missing()]
        breaks += self._truncated(head)
        breaks.sort(key=lambda b: (b.first, b.last, b.verdict))
        return ChainReport(self.table, self.events, head, tuple(breaks))

    def _broken(self) -> list[Break]:
        """Which event was changed: the one whose neighbours both disagree with it, else the one
        that the next event contradicts."""
        out = []
        for run in _runs(self._mismatched):
            first, last = (run[0], run[-1] - 1) if len(run) > 1 else (run[0] - 1,) * 2
            first, last = max(first, 1), max(last, 1)
            where = f"event {first}" if first == last else f"events {first} to {last}"
            text = f"the chain is broken at {where}: "
            if len(run) > 1 or run[0] == 1:
                text += "the hash it names is not that of the event before, "
                text += "or its own is not the one that the next names"
            else:
                text += f"event {run[0]} names another hash for it, so one of the two was changed"
            out.append(Break(Verdict.BROKEN, self.table, first, last, text))
        return out

    def _missing(self) -> list[Break]:
        out = []
        for first, last in self._gaps:
            what = f"event {first} is" if first == last else f"events {first} to {last} are"
            text = f"{what} missing: the next one that came is {last + 1}"
            out.append(Break(Verdict.MISSING, self.table, first, last, text))
        return out

    def _truncated(self, head: Head) -> list[Break]:
        ahead = [seq for seq in self._known if seq > head.seq]
        if not ahead:
            return []
        text = f"the chain ends at event {head.seq}, but a checkpoint knows event {max(ahead)}"
        return [Break(Verdict.TRUNCATED, self.table, head.seq + 1, max(ahead), text)]


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    """Numbers that follow each other, together."""
    out: list[list[int]] = []
    for number in sorted(set(numbers)):
        if out and out[-1][-1] + 1 == number:
            out[-1].append(number)
        else:
            out.append([number])
    return out


def _spell_out(found: Break) -> Break:
    if found.first == found.last:
        return found
    _, _, rest = found.message.partition(" came ")
    return replace(found, message=f"events {found.first} to {found.last} came {rest}")


def _short(digest: bytes) -> str:
    return digest.hex()[:16]


def verify_chain(
    table: str,
    links: Iterable[Link],
    *,
    known: Mapping[int, bytes] | None = None,
    quarantined: Sequence[bytes] = (),
) -> ChainReport:
    """The report on a whole chain that is at hand."""
    chain = TableChain(table, known=known, quarantined=Quarantined(quarantined))
    for link in links:
        chain.feed(link)
    return chain.report()
