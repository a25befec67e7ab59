"""What a piece of evidence is made of, and its own written form in the zip.

The given part (bytes, chain, checkpoints, the manifest) is written down once. Everything else in
the zip (answer, findings, page ...) follows from it: a verifier makes it again and compares.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from events.archive.evidence import StoredMessage, encode_block, encode_header
from events.checkpoints import Checkpoint, to_line
from events.codec import decode
from events.errors import EvenhandError
from events.log.container import CODECS
from events.model import Envelope
from events.seal import Entry

FORMAT = 2


class Unsealed(NamedTuple):
    """A stretch of the chain around events of the round for which no checkpoint vouches.

    `newest`: it ends at the newest event there was, because no checkpoint came after the round.
    """

    first: int
    last: int
    newest: bool


@dataclass(frozen=True, slots=True)
class Material:
    """The given part of a piece of evidence."""

    round: str
    table: str
    messages: tuple[StoredMessage, ...]  # the round's that count, by seq
    beside: tuple[StoredMessage, ...]  # its shoe's start, what bears its id and can't count
    chain: tuple[Entry, ...]
    checkpoints: tuple[Checkpoint, ...]
    unsealed: Unsealed | None
    shoe_seq: int | None  # the event with which the round's shoe began
    next_round: tuple[str, int] | None  # only where it began before this round's last event
    turned: frozenset[str]
    zone: str
    made_at: str
    also_known: tuple[dict[str, Any], ...]  # findings that rest on other events
    software: str  # fingerprint of the code that made it
    version: str

    def manifest(self) -> dict[str, Any]:
        """What is not in the other given members."""
        return {
            "format": FORMAT,
            "round": self.round,
            "table": self.table,
            "unsealed": None if self.unsealed is None else list(self.unsealed),
            "shoe_seq": self.shoe_seq,
            "next_round": None if self.next_round is None else list(self.next_round),
            "turned": sorted(self.turned),
            "zone": self.zone,
            "made_at": self.made_at,
            "also_known": list(self.also_known),
            "software": self.software,
            "version": self.version,
        }

    @property
    def seals(self) -> list[Checkpoint]:
        """The checkpoints that seal an event of the round or the start of its shoe."""
        needed = [*self.numbers(), *([] if self.shoe_seq is None else [self.shoe_seq])]
        return [c for c in self.checkpoints if any(c.seals(seq) for seq in needed)]

    def numbers(self) -> list[int]:
        """The numbers of the round's events, as the bytes say."""
        events = (read_event(message.value) for message in self.messages)
        return sorted(e.seq for e in events if e is not None and e.seq is not None)

    def missing(self) -> list[tuple[int, int]]:
        """Numbers within a stretch of the chain that no line has, from the first to the last."""
        there = sorted({entry.seq for entry in self.chain})
        gaps = [(a + 1, b - 1) for a, b in pairwise(there) if b > a + 1]
        return [gap for gap in gaps if self.covers(*gap)]

    def covers(self, first: int, last: int) -> bool:
        """Whether the chain is given from one number to another."""
        stretches = [(c.first, c.seq) for c in self.checkpoints if c.first is not None]
        if self.unsealed is not None:
            stretches.append((self.unsealed.first, self.unsealed.last))
        for low, high in sorted(stretches):
            if low <= first <= high:
                first = high + 1
        return first > last

    def open_events(self) -> list[int]:
        """The numbers of the round's events that no checkpoint seals."""
        return [n for n in self.numbers() if not any(c.seals(n) for c in self.checkpoints)]


def read_event(value: bytes) -> Envelope | None:
    """An event, or None for bytes that nobody could read."""
    try:
        return decode(value)
    except EvenhandError:
        return None


def span(first: int, last: int) -> str:
    """Numbers in words: `event 5`, or `events 5 to 9`."""
    return f"event {first}" if first == last else f"events {first} to {last}"


def spans(numbers: Iterable[int]) -> str:
    """Any numbers in words, run by run."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return listed_spans([(first, last) for first, last in runs])


def listed_spans(runs: Sequence[tuple[int, int]]) -> str:
    shown = ", ".join(span(*run) for run in runs[:5])
    return shown + (f" and {len(runs) - 5} more" if len(runs) > 5 else "")


def given_members(m: Material) -> dict[str, bytes]:
    """The members from which all others follow."""
    return {
        "manifest.json": to_json(m.manifest()),
        "round.avro": container(m.messages),
        "beside.avro": container(m.beside),
        "chain.txt": "".join(f"{entry}\n" for entry in m.chain).encode(),
        "checkpoints.jsonl": "".join(to_line(c) + "\n" for c in m.checkpoints).encode(),
    }


def to_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def container(messages: Iterable[StoredMessage]) -> bytes:
    """Messages as an Avro object container, byte for byte the same every time."""
    kept = list(messages)
    sync = b"evenhandevidence"
    out = io.BytesIO()
    out.write(encode_header("null", sync))
    if kept:
        out.write(encode_block(kept, CODECS["null"], sync))
    return out.getvalue()
