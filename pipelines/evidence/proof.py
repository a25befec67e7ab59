"""The chain of a piece of evidence, computed again from the bytes."""

from __future__ import annotations

from collections.abc import Iterator

from events.archive.evidence import StoredMessage
from events.codec import GENESIS, body_of, hash_body
from events.model import Envelope
from pipelines.evidence.derive import decode_or_none
from pipelines.evidence.material import BODY, CHECKPOINT, HASH, ROUND, START, ChainLine, Material

Wrong = tuple[str, str]
"""What kind of thing is wrong, and the sentence."""


def prove(m: Material) -> Iterator[Wrong]:
    """Everything that is wrong with the chain; nothing where it holds."""
    if not m.messages or not any(line.given == ROUND for line in m.chain):
        yield "bytes", "the file holds no event of the round"
        return
    yield from _numbers(m)
    yield from _links(m)
    yield from _own(m)
    yield from _start_of_shoe(m)
    yield from _checkpoints(m)


def _numbers(m: Material) -> Iterator[Wrong]:
    """No number is missing, and everything from the round on is given with its bytes."""
    before = None
    for line in m.chain:
        if before is not None and line.seq != before + 1:
            gone = f"event {before + 1}" if line.seq == before + 2 else "events"
            yield "cut", f"the chain is cut: {gone} missing between {before} and {line.seq}"
        before = line.seq
    first, last = m.chain_seqs()
    for line in m.chain:
        if line.seq > first and line.given == HASH and not (m.sealed and line.seq > last):
            yield "cut", f"event {line.seq} lies after the round's beginning, without its bytes"
            return


def _links(m: Material) -> Iterator[Wrong]:
    """Each event's bytes have the hash of its line and name the hash of the line before."""
    by_hash = {
        digest: message for message in (*m.messages, *m.beside) for digest in _hashes(message)
    }
    before: ChainLine | None = None
    for line in m.chain:
        if line.given != HASH:
            message = by_hash.get(line.hash)
            if message is None:
                yield "chain", f"event {line.seq}: no bytes in the file have the chain's hash"
            else:
                yield from _link(m, line, before, message)
        before = line


def _hashes(message: StoredMessage) -> tuple[bytes, ...]:
    """Without a readable header nobody knows where a body begins: both are tried."""
    if message.source == "quarantine":
        return (hash_body(message.value),)
    return (hash_body(body_of(message.value)),)


def _link(
    m: Material, line: ChainLine, before: ChainLine | None, message: StoredMessage
) -> Iterator[Wrong]:
    envelope = decode_or_none(message.value)
    if envelope is None:
        named = before is None or before.hash in message.value
        if line.given == ROUND or not named:
            yield "bytes", f"event {line.seq}: its bytes can't be read as an event"
        return
    if (envelope.table, envelope.seq) != (m.table, line.seq):
        yield "chain", f"event {line.seq}: its bytes say {envelope.table}, event {envelope.seq}"
    expected = before.hash if before is not None else GENESIS if line.seq == 1 else None
    if expected is not None and envelope.prev != expected:
        yield (
            "chain",
            f"the chain is broken at event {line.seq}: it names another hash for the event before",
        )
    if (envelope.round == m.round) != (line.given == ROUND):
        given = "part of the round" if line.given == ROUND else "another's"
        belongs = envelope.round or "no round"
        yield "cut", f"event {line.seq} belongs to {belongs}, but is given as {given}"


def _own(m: Material) -> Iterator[Wrong]:
    """The round's bytes are the round's lines, all of them and in order."""
    lines = [line.hash for line in m.chain if line.given == ROUND]
    if lines != [hash_body(body_of(message.value)) for message in m.messages]:
        yield "bytes", "the events of the round are not the ones that the chain names"
    events: list[Envelope | None] = [decode_or_none(message.value) for message in m.messages]
    if any(e is None or e.round != m.round or e.table != m.table for e in events):
        yield "bytes", f"not all events in round.avro are of round {m.round} at {m.table}"
    needed = {line.hash for line in m.chain if line.given == BODY}
    for message in m.beside:
        envelope = decode_or_none(message.value)
        shoe = envelope is not None and envelope.seq == m.shoe_seq
        if not shoe and not needed & set(_hashes(message)):
            yield "bytes", "beside.avro holds an event that the chain does not name"
            return


def _start_of_shoe(m: Material) -> Iterator[Wrong]:
    if m.shoe_seq is None:
        return
    found = [b for b in m.beside if getattr(decode_or_none(b.value), "seq", None) == m.shoe_seq]
    if not found:
        yield "bytes", f"the start of the shoe, event {m.shoe_seq}, is not in the file"
        return
    line = next((line for line in m.chain if line.seq == m.shoe_seq), None)
    if line is not None and line.hash not in _hashes(found[0]):
        yield "chain", f"event {m.shoe_seq}, the start of the shoe, is not the one of the chain"


def _checkpoints(m: Material) -> Iterator[Wrong]:
    wanted = (m.begins == CHECKPOINT) + (m.ends == CHECKPOINT)
    if len(m.checkpoints) != wanted:
        found = len(m.checkpoints)
        yield "checkpoint", f"expected {wanted} checkpoints, found {found}"
        return
    if m.begins == START and m.chain[0].seq != 1:
        yield "cut", f"the chain begins at event {m.chain[0].seq} instead of event 1"
    ends = []
    if m.begins == CHECKPOINT:
        ends.append((m.checkpoints[0], m.chain[0]))
    if m.ends == CHECKPOINT:
        ends.append((m.checkpoints[-1], m.chain[-1]))
    for checkpoint, line in ends:
        if checkpoint.table != m.table:
            yield "checkpoint", f"a checkpoint is of table {checkpoint.table}, not {m.table}"
        if (checkpoint.seq, checkpoint.head) != (line.seq, line.hash):
            yield (
                "checkpoint",
                f"the chain does not meet the checkpoint at event {checkpoint.seq}: the checkpoint "
                f"has {checkpoint.head.hex()[:16]}, the chain {line.hash.hex()[:16]} at {line.seq}",
            )
