"""What a piece of evidence is made of, and its own written form in the zip.

The given part (bytes, chain, checkpoints, the manifest) is written down once. Everything else in
the zip (answer, findings, page ...) follows from it: a verifier makes it again and compares.
"""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from checks.context import MeterWord, NextRound
from checks.plain import plain_finding, plain_word
from events.archive.evidence import StoredMessage, encode_block, encode_header
from events.checkpoints import Checkpoint, to_line
from events.codec import decode
from events.errors import EvenhandError
from events.log.container import CODECS
from events.model import Envelope
from events.seal import Entry
from pipelines.evidence.gateway import EVENTS, KEYS, GatewayWord
from pipelines.evidence.log_proof import NOTE, PROOFS, LogProof
from replay.answer import Finding

PLAIN_FORMAT, WITH_LOG, WITH_GATEWAY = 5, 1, 2
FORMATS = tuple(range(PLAIN_FORMAT, PLAIN_FORMAT + WITH_LOG + WITH_GATEWAY + 1))
"""A file without a signed state of the house's log, or without the gateway's signatures, is as it
was before there were any. In 4 and 3 messages did not say when they arrived."""
EVIDENCE_SYNC = b"evenhandevidence"


class Unsealed(NamedTuple):
    """A stretch of the chain around events of the round for which no checkpoint vouches.

    `newest`: it ends at the newest event there was, because no checkpoint came after the round.
    """

    first: int
    last: int
    newest: bool


class Stretches:
    """Runs of numbers, put together where they touch, so that asking takes no time."""

    def __init__(self, runs: Iterable[tuple[int, int]]) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for first, last in sorted(runs):
            if self._lasts and first <= self._lasts[-1] + 1:
                self._lasts[-1] = max(last, self._lasts[-1])
            else:
                self._firsts.append(first)
                self._lasts.append(last)

    def cover(self, first: int, last: int) -> bool:
        """Whether all numbers from one to another are in one of them."""
        place = bisect_right(self._firsts, first) - 1
        return first > last or (place >= 0 and last <= self._lasts[place])


@dataclass(frozen=True, slots=True)
class Material:
    """The given part of a piece of evidence."""

    round: str
    table: str
    messages: tuple[StoredMessage, ...]  # the round's that count, by seq
    beside: tuple[StoredMessage, ...]  # what its answer rests on besides, what bears its id
    chain: tuple[Entry, ...]
    checkpoints: tuple[Checkpoint, ...]
    unsealed: Unsealed | None
    shoe_seq: int | None  # the event with which the round's shoe began
    next_round: NextRound | None  # only where it opened before this round's last event
    turned: frozenset[str]
    zone: str
    made_at: str
    also_known: tuple[Finding, ...]  # what rests on other events of the table
    meter: MeterWord | None  # what rests on other tables; None: not looked at
    software: str  # fingerprint of the code that made it
    version: str
    log: LogProof | None = None  # from its seals to a signed state of the house's log
    gateway: GatewayWord | None = None  # the signatures of who wrote it

    @property
    def format(self) -> int:
        """A number of its own for each of the things that a file may have besides."""
        log, gateway = self.log is not None, self.gateway is not None
        return PLAIN_FORMAT + WITH_LOG * log + WITH_GATEWAY * gateway

    def manifest(self) -> dict[str, Any]:
        """What is not in the other given members."""
        return {
            "format": self.format,
            "round": self.round,
            "table": self.table,
            "unsealed": None if self.unsealed is None else list(self.unsealed),
            "shoe_seq": self.shoe_seq,
            "next_round": None if self.next_round is None else list(self.next_round),
            "turned": sorted(self.turned),
            "zone": self.zone,
            "made_at": self.made_at,
            "also_known": [plain_finding(finding) for finding in self.also_known],
            "meter": None if self.meter is None else plain_word(self.meter),
            "software": self.software,
            "version": self.version,
        }

    def rests_on(self) -> dict[int, str]:
        """Events of the table besides the round's own that its answer rests on, in words."""
        out = {}
        if self.shoe_seq is not None:
            out[self.shoe_seq] = "the start of the shoe"
        if self.next_round is not None:
            out[self.next_round.seq] = "the opening of the next round"
        return out

    @property
    def seals(self) -> list[Checkpoint]:
        """The checkpoints that seal an event of the round or one that its answer rests on."""
        needed = [*self.numbers(), *self.rests_on()]
        return [c for c in self.checkpoints if any(c.seals(seq) for seq in needed)]

    def numbers(self) -> list[int]:
        """The numbers of the round's events, as the bytes say."""
        events = (read_event(message.value) for message in self.messages)
        return sorted(e.seq for e in events if e is not None and e.seq is not None)

    def missing(self) -> list[tuple[int, int]]:
        """Numbers within a stretch of the chain that no line has, from the first to the last."""
        there = sorted({entry.seq for entry in self.chain})
        gaps = [(a + 1, b - 1) for a, b in pairwise(there) if b > a + 1]
        given = self.stretches()
        return [gap for gap in gaps if given.cover(*gap)]

    def stretches(self) -> Stretches:
        """From where to where the chain is given."""
        found = [(c.first, c.seq) for c in self.checkpoints if c.first is not None]
        if self.unsealed is not None:
            found.append((self.unsealed.first, self.unsealed.last))
        return Stretches(found)

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
        **_log_members(m),
        **_gateway_members(m),
    }


def _log_members(m: Material) -> dict[str, bytes]:
    if m.log is None:
        return {}
    return {NOTE: m.log.note.encode(), PROOFS: to_json(m.log.plain())}


def _gateway_members(m: Material) -> dict[str, bytes]:
    if m.gateway is None:
        return {}
    return {EVENTS: container(m.gateway.messages), KEYS: to_json(m.gateway.plain())}


def to_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def container(messages: Iterable[StoredMessage]) -> bytes:
    """Messages as an Avro object container, byte for byte the same every time."""
    kept = list(messages)
    out = io.BytesIO()
    out.write(encode_header("null", EVIDENCE_SYNC))
    if kept:
        out.write(encode_block(kept, CODECS["null"], EVIDENCE_SYNC))
    return out.getvalue()
