"""The chain of a table's events: each names the hash of the one before it.

Verification looks at three things of an event: its number, the hash it names and the hash it
has. It runs over the events in the order in which they came, through any number of days, and
keeps only what is still open, so that a year costs no more memory than a day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, Protocol

from events.codec import GENESIS, body_of, hash_body


class ChainVerdict(StrEnum):
    """What can be said about a chain."""

    INTACT = "intact"
    BROKEN = "broken"
    MISSING = "missing"
    DUPLICATED = "duplicated"
    OUT_OF_ORDER = "out_of_order"
    TRUNCATED = "truncated"
    SEAL_DIFFERS = "seal_differs"


@dataclass(frozen=True, slots=True)
class ChainLink:
    """What the chain needs of one event: its number, the hash it names, the hash it has."""

    seq: int
    prev: bytes
    hash: bytes


class Linked(Protocol):
    """Anything that has a place in a chain; a hash that is not known is joined to nothing."""

    @property
    def seq(self) -> int: ...
    @property
    def prev(self) -> bytes | None: ...
    @property
    def hash(self) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: the number and the hash of its last event. Seq 0: none yet."""

    seq: int = 0
    hash: bytes = GENESIS


@dataclass(frozen=True, slots=True)
class Break:
    """One thing wrong, with the events it concerns, `first` to `last`."""

    verdict: ChainVerdict
    table: str
    first: int
    last: int
    message: str
    shown_by: Linked | None = None  # the event that shows it
    at_checkpoint: bool = False  # a checkpoint contradicts it, not a neighbour
    known: int | None = None  # TRUNCATED: the last event that a checkpoint knows


class UnreadBody(NamedTuple):
    """A body that nobody could read and its place in the chain, before `shown_by` or after it."""

    seq: int
    body: bytes
    shown_by: Linked


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What was found about one table's chain."""

    table: str
    events: int
    head: Head
    breaks: tuple[Break, ...]
    unread: tuple[UnreadBody, ...] = ()  # bodies in quarantine that have a place in it

    @property
    def verdicts(self) -> frozenset[ChainVerdict]:
        """`intact` alone, or all that is wrong."""
        return frozenset(b.verdict for b in self.breaks) or frozenset({ChainVerdict.INTACT})


class QuarantinedLink:
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
        quarantined: QuarantinedLink | None = None,
    ) -> None:
        self.table = table
        self.events = 0
        self._seq = 0 if start is None else start.seq
        self._hash: bytes | None = GENESIS if start is None else start.hash
        self._last: Linked | None = None
        self._begun = start is not None
        self._floor = 1
        self._known = dict(known or {})
        self._quarantined = quarantined or QuarantinedLink()
        self._gaps: list[_Gap] = []  # what has not come
        self._named: dict[int, bytes] = {}  # hash of an event that has not come, as named
        self._hashes: dict[int, bytes] = {}  # hash of the events before a gap
        self._mismatched: dict[int, Linked] = {}  # whose `prev` is not the hash before them
        self._breaks: list[Break] = []
        self._unread: list[UnreadBody] = []

    @property
    def head(self) -> Head | None:
        """Where the chain stands; None before the first event of a part."""
        return Head(self._seq, self._hash or GENESIS) if self._begun else None

    def feed(self, link: Linked) -> None:
        """The next event as it came."""
        self.events += 1
        if not self._begun:
            self._floor = link.seq
            self._begun = True
            self._advance(link)
        elif link.seq == self._seq + 1:
            if _differ(link.prev, self._hash):
                self._mismatched[link.seq] = link
            self._advance(link)
        elif link.seq > self._seq:
            self._jump(link)
        elif gap := next((g for g in self._gaps if g.first <= link.seq <= g.last), None):
            self._late(gap, link)
        else:
            self._again(link)

    def _advance(self, link: Linked) -> None:
        self._seq, self._hash, self._last = link.seq, link.hash, link
        if self._known and link.seq in self._known:
            self._meet(link)

    def _meet(self, link: Linked) -> None:
        expected = self._known.pop(link.seq)
        if _differ(expected, link.hash):
            found = _short(link.hash or b"")
            text = (
                f"event {link.seq} is not the one that the checkpoint knows: expected hash "
                f"{_short(expected)}, found {found}"
            )
            self._breaks.append(
                Break(ChainVerdict.BROKEN, self.table, link.seq, link.seq, text, link, True)
            )

    def _jump(self, link: Linked) -> None:
        first, last = self._seq + 1, link.seq - 1
        bodies = self._fill(link.prev, last, first, link)
        last -= len(bodies)
        if first <= last:
            self._gaps.append(_Gap(first, last, link))
            if self._hash is not None:
                self._hashes[self._seq] = self._hash
            if not bodies and link.prev is not None:
                self._named[last] = link.prev
        elif self._hash is not None and self._hash not in bodies[-1]:
            self._mismatched[first] = link
        self._advance(link)

    def _fill(self, named: bytes | None, last: int, first: int, link: Linked) -> list[bytes]:
        """The bodies that stand from `last` backwards; `link` names the last of them."""
        bodies = [] if named is None else self._quarantined.fill(named, last - first + 1)
        self.events += len(bodies)
        self._unread += [UnreadBody(last - back, body, link) for back, body in enumerate(bodies)]
        return bodies

    def _late(self, gap: _Gap, link: Linked) -> None:
        """An event that had been missed: it closes its gap or a part of it."""
        seq, (first, last, after) = link.seq, gap
        self._gaps.remove(gap)
        parts = (_Gap(first, seq - 1, link), _Gap(seq + 1, last, after))
        self._gaps += [g for g in parts if g.first <= g.last]
        before = self._hashes.pop(seq - 1, None)
        if seq > first:
            if link.prev is not None:
                self._named[seq - 1] = link.prev
        elif _differ(before, link.prev):
            self._mismatched[seq] = link
        if _differ(self._named.pop(seq, None), link.hash):
            self._mismatched[seq + 1] = after
        if seq < last and link.hash is not None:
            self._hashes[seq] = link.hash
        if seq in self._known:
            self._meet(link)
        text = f"event {seq} came after event {self._seq}"
        self._add(ChainVerdict.OUT_OF_ORDER, link, text)

    def _again(self, link: Linked) -> None:
        if link.seq < self._floor:
            text = f"event {link.seq} came after event {self._seq}"
            self._add(ChainVerdict.OUT_OF_ORDER, link, text)
            return
        text = f"event {link.seq} came a second time, after event {self._seq}"
        if link.seq == self._seq and link.hash != self._hash:
            text += ", with another content"
        self._add(ChainVerdict.DUPLICATED, link, text)

    def _add(self, verdict: ChainVerdict, link: Linked, message: str) -> None:
        """Note a break; one that goes on from event to event stays one."""
        last = self._breaks[-1] if self._breaks else None
        if last and last.verdict is verdict and last.last + 1 == link.seq:
            self._breaks[-1] = replace(last, last=link.seq)
            return
        self._breaks.append(Break(verdict, self.table, link.seq, link.seq, message, link))

    def report(self) -> ChainReport:
        """What was found. More can be fed afterwards, and the report asked for again."""
        head = self.head or Head()
        truncated, beyond = self._truncated(head)
        breaks = [*map(_spell_out, self._breaks), *self._broken(), *self._missing(), *truncated]
        breaks.sort(key=lambda b: (b.first, b.last, b.verdict))
        unread = (*self._unread, *beyond)
        return ChainReport(self.table, self.events + len(beyond), head, tuple(breaks), unread)

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
            shown_by = self._mismatched[run[0]]
            out.append(Break(ChainVerdict.BROKEN, self.table, first, last, text, shown_by))
        return out

    def _missing(self) -> list[Break]:
        out = []
        for first, last, after in self._gaps:
            what = f"event {first} is" if first == last else f"events {first} to {last} are"
            text = f"{what} missing: the next one that came is {last + 1}"
            out.append(Break(ChainVerdict.MISSING, self.table, first, last, text, after))
        return out

    def _truncated(self, head: Head) -> tuple[list[Break], list[UnreadBody]]:
        """A checkpoint beyond the last event; what nobody could read may stand in its place."""
        seq = max((seq for seq in self._known if seq > head.seq), default=None)
        if seq is None:
            return [], []
        bodies = self._quarantined.fill(self._known[seq], seq - head.seq)
        last = self._last
        unread = (
            []
            if last is None
            else [UnreadBody(seq - back, body, last) for back, body in enumerate(bodies)]
        )
        end = seq - len(bodies)
        if end <= head.seq:
            return [], unread
        text = f"the chain ends at event {head.seq}, but a checkpoint knows event {seq}"
        cut = Break(ChainVerdict.TRUNCATED, self.table, head.seq + 1, end, text, last, known=seq)
        return [cut], unread


class _Gap(NamedTuple):
    """Numbers that have not come, and the event after them."""

    first: int
    last: int
    after: Linked


def _differ(one: bytes | None, other: bytes | None) -> bool:
    """Two hashes that are both known and not the same."""
    return one is not None and other is not None and one != other


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
