"""What a piece of evidence is made of, and its own written form in the zip.

The given part (bytes, chain, checkpoints, the manifest) is written down once. Everything else in
the zip (answer, findings, page ...) follows from it: a verifier makes it again and compares.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from events.archive.evidence import StoredMessage, encode_block, encode_header
from events.checkpoints import Checkpoint, to_line
from events.log.container import CODECS

FORMAT = 1
ROUND, BODY, HASH = "round", "body", "hash"
"""How an event of the chain is given: as part of the round, as bytes beside it, as a hash only."""

CHECKPOINT, START, HEAD, BREAK = "checkpoint", "start", "head", "break"
"""Where the chain begins and ends: at a checkpoint, at the table's first event, at the newest event
there is, or where the record itself is broken."""


class ChainLine(NamedTuple):
    """One event of the table's chain. Each names the hash of the line before it."""

    seq: int
    hash: bytes
    given: str

    def __str__(self) -> str:
        return f"{self.seq} {self.hash.hex()} {self.given}"


@dataclass(frozen=True, slots=True)
class Material:
    """The given part of a piece of evidence."""

    round: str
    table: str
    messages: tuple[StoredMessage, ...]  # the round's, by seq
    beside: tuple[StoredMessage, ...]  # others that the proof needs, by seq
    chain: tuple[ChainLine, ...]
    checkpoints: tuple[Checkpoint, ...]  # the one before and the one after, where there is one
    begins: str
    ends: str
    sealed: bool  # other rounds' contents were left out although the proof would need them
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
            "events": [self.chain_seqs()[0], self.chain_seqs()[1]],
            "begins": self.begins,
            "ends": self.ends,
            "sealed": self.sealed,
            "shoe_seq": self.shoe_seq,
            "next_round": None if self.next_round is None else list(self.next_round),
            "turned": sorted(self.turned),
            "zone": self.zone,
            "made_at": self.made_at,
            "also_known": list(self.also_known),
            "software": self.software,
            "version": self.version,
        }

    def chain_seqs(self) -> tuple[int, int]:
        """The round's first and last event."""
        own = [line.seq for line in self.chain if line.given == ROUND]
        return (own[0], own[-1]) if own else (0, 0)


def given_members(m: Material) -> dict[str, bytes]:
    """The members from which all others follow."""
    return {
        "manifest.json": to_json(m.manifest()),
        "round.avro": container(m.messages),
        "beside.avro": container(m.beside),
        "chain.txt": "".join(f"{line}\n" for line in m.chain).encode(),
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
