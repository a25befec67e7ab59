"""The seal of a stretch of a table's chain: one hash over a short line for each of its events.

A line has the event's number, the SHA-256 of its body and a tag of its round. Whoever has the lines
and the seal can see that no event was changed, added or left out, and which lines belong to a round
that he knows, without the content of any event (docs/adr/0008-evidence.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from events.chain import Head
from events.codec import HEADER_SIZE, hash_body, schemas
from events.gateway import heads_of
from events.log.base import Message
from events.log.container import BadBlockError, read_varint

NO_ROUND = "-"
TAG_DIGITS = 16


class Entry(NamedTuple):
    """What a seal knows of one event."""

    seq: int
    hash: bytes
    tag: str

    def __str__(self) -> str:
        return f"{self.seq} {self.hash.hex()} {self.tag}"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A stretch of a chain, from the event `first` to its head, and its seal."""

    first: int
    head: Head
    seal: bytes


@lru_cache(maxsize=4096)
def tag_of(round_: str | None) -> str:
    """What tells that two events are of one round: the first digits of its id's SHA-256."""
    if round_ is None:
        return NO_ROUND
    return hashlib.sha256(round_.encode()).hexdigest()[:TAG_DIGITS]


def seal_of(entries: Iterable[Entry]) -> bytes:
    """The SHA-256 of the entries' lines: each entry once, by number, then by hash.

    A number that is missing has no line; where two events claim one, both have theirs.
    """
    return hash_lines(map(str, sorted(set(entries))))


def hash_lines(lines: Iterable[str]) -> bytes:
    """The seal of lines that stand in order."""
    return hashlib.sha256("".join([f"{line}\n" for line in lines]).encode()).digest()


@cache
def _headers() -> frozenset[bytes]:
    return frozenset(schema.header for schema in schemas().values())


def entry_of(message: bytes) -> tuple[str, Entry] | None:
    """Table and entry of a message, or None where not even its first three fields can be read.

    Table, round and number stand first in every version of the schema, so the rest need not be
    decoded, which costs ten times as much; and what breaks the contract further on has its entry.
    """
    if message[:HEADER_SIZE] not in _headers():
        return None
    try:
        table, at = _text(message, HEADER_SIZE)
        branch, at = read_varint(message, at)
        if branch not in (0, 1):
            return None
        round_, at = _text(message, at) if branch else (None, at)
        seq, _ = read_varint(message, at)
    except (IndexError, BadBlockError, UnicodeDecodeError):
        return None
    if seq < 1 or not table:
        return None
    return table, Entry(seq, hash_body(message[HEADER_SIZE:]), tag_of(round_))


def _text(data: bytes, at: int) -> tuple[str, int]:
    length, at = read_varint(data, at)
    end = at + length
    if length < 0 or end > len(data):
        raise IndexError
    return data[at:end].decode(), end


class _SealedRun:
    """A table's last run of numbers without a gap, while messages pass."""

    __slots__ = ("clear", "digest", "first", "last")

    def __init__(self) -> None:
        self.first, self.last, self.clear = 0, -1, True
        self.digest = hashlib.sha256()

    def feed(self, entry: Entry) -> None:
        if entry.seq != self.last + 1:
            # a number from before: only sorting can tell what the run is
            self.clear = self.clear and entry.seq > self.last
            self.first, self.digest = entry.seq, hashlib.sha256()
        self.last = entry.seq
        self.digest.update(f"{entry}\n".encode())


def seal_messages(
    read: Callable[[], Iterable[Message]], after: Mapping[str, int] | None = None
) -> dict[str, Head | Sealed]:
    """Per table the end of its chain in some messages, sealed back to the last gap in the numbers.

    What lies before a gap may still come, so it is left to the end of the day. `after`: numbers
    that are sealed already. `read` gives the messages, a second time where some came out of order.
    """
    done = after or {}
    runs: dict[str, _SealedRun] = {}
    heads = heads_of(_noting(read(), done, runs))
    out: dict[str, Head | Sealed] = dict(heads)
    unclear = {}
    for table, head in heads.items():
        run = runs.get(table)
        if run is not None and run.clear and run.last == head.seq:
            out[table] = Sealed(run.first, head, run.digest.digest())
        elif run is not None and head.seq > done.get(table, 0):
            unclear[table] = head
    if unclear:
        out |= _sorted_out(read(), done, unclear)
    return out


def _noting(
    messages: Iterable[Message], done: Mapping[str, int], runs: dict[str, _SealedRun]
) -> Iterator[Message]:
    """The messages, noted as they pass."""
    for message in messages:
        found = None if message.damage is not None else entry_of(message.value)
        if found is not None and found[1].seq > done.get(found[0], 0):
            run = runs.get(found[0])
            if run is None:
                run = runs[found[0]] = _SealedRun()
            run.feed(found[1])
        yield message


def _sorted_out(
    messages: Iterable[Message], done: Mapping[str, int], heads: Mapping[str, Head]
) -> dict[str, Sealed]:
    """The same for tables whose messages came out of order or twice."""
    entries: dict[str, set[Entry]] = {table: set() for table in heads}
    for message in messages:
        found = None if message.damage is not None else entry_of(message.value)
        if found is None or found[0] not in heads:
            continue
        table, entry = found
        if done.get(table, 0) < entry.seq <= heads[table].seq:
            entries[table].add(entry)
    out = {}
    for table, some in entries.items():
        ordered = sorted(some)
        gaps = [later.seq for before, later in pairwise(ordered) if later.seq > before.seq + 1]
        first = gaps[-1] if gaps else ordered[0].seq
        run = [entry for entry in ordered if entry.seq >= first]
        out[table] = Sealed(first, heads[table], seal_of(run))
    return out
