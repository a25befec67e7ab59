"""The proof of a piece of evidence, computed again: bytes to hashes, hashes to the seal."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from events.bounds import Bounds
from events.checkpoints import Checkpoint
from events.codec import GENESIS
from events.jsonl import event_fields
from events.model import Envelope, RoundOpened, ShoeStarted
from events.seal import Entry, entry_of, seal_of, tag_of
from pipelines.evidence.gateway import EVENTS
from pipelines.evidence.material import Material, listed_spans, read_event, span, spans


class WrongProof(NamedTuple):
    """One thing that is wrong: a word for its kind, the member, and the sentence."""

    kind: str
    member: str | None
    message: str


class _Given(NamedTuple):
    """A message of the file: its member, what it says (None: unreadable), and its line."""

    member: str
    event: Envelope | None
    entry: Entry


def prove(m: Material) -> Iterator[WrongProof]:
    """Everything that is wrong with the bytes and the chain; nothing where the proof holds."""
    given = list(_given(m))
    yield from _own(m, [one for one in given if one.member == "round.avro"])
    yield from _beside(m, [one for one in given if one.member == "beside.avro"])
    yield from _in_chain(m, given)
    yield from _whole_round(m, given)
    yield from _links(m, given)
    yield from _lines(m)
    lines = ChainLines(m.chain)
    for checkpoint in m.checkpoints:
        yield from _checkpoint(m, lines, checkpoint)


def _given(m: Material) -> Iterator[_Given]:
    signed = () if m.gateway is None else m.gateway.messages
    given = (("round.avro", m.messages), ("beside.avro", m.beside), (EVENTS, signed))
    for member, messages in given:
        for message in messages:
            found = entry_of(message.value)
            if found is not None and found[0] == m.table:
                yield _Given(member, read_event(message.value), found[1])


def _own(m: Material, own: list[_Given]) -> Iterator[WrongProof]:
    """Everything in round.avro is an event of the round, each number once and in order."""
    if not m.messages:
        yield WrongProof("bytes", "round.avro", "the file holds no event of the round")
    elif len(own) < len(m.messages) or any(e is None or e.round != m.round for _, e, _ in own):
        says = f"not all events in round.avro are of round {m.round} at {m.table}"
        yield WrongProof("bytes", "round.avro", says)
    for before, later in pairwise(own):
        if later.entry.seq <= before.entry.seq:
            says = f"in round.avro event {later.entry.seq} comes after event {before.entry.seq}"
            yield WrongProof("bytes", "round.avro", says)


def _beside(m: Material, beside: list[_Given]) -> Iterator[WrongProof]:
    """Beside it stand the events that the answer rests on, and what bears the round's id and can't
    count."""
    shoes = _shoes(m)
    starts = [one for one in beside if _starts_shoe(m, shoes, one.event)]
    if m.shoe_seq is not None and len(starts) != 1:
        says = f"the start of the round's shoe, event {m.shoe_seq}, is not in beside.avro"
        yield WrongProof("bytes", "beside.avro", says)
    opened = [one for one in beside if _opens_next(m, one.event)]
    if m.next_round is not None and len(opened) != 1:
        says = f"the opening of the next round, event {m.next_round.seq}, is not in beside.avro"
        yield WrongProof("bytes", "beside.avro", says)
    numbers, tag = set(m.numbers()), tag_of(m.round)
    others = [
        one
        for one in beside
        if one.entry.tag == tag
        and (one.event is None or one.entry.seq in numbers or _above_bound(one.event))
    ]
    if len(starts) + len(opened) + len(others) != len(m.beside):
        says = "beside.avro holds an event that does not belong there"
        yield WrongProof("bytes", "beside.avro", says)


def _above_bound(event: Envelope) -> bool:
    """Whether it names an amount that no table can mean, so that every house that keeps to the
    contract's bound had it in quarantine."""
    return Bounds().amount_problem(event.type, event_fields(event.event)) is not None


def _shoes(m: Material) -> set[str]:
    """The shoes from which the round says that it was dealt."""
    opened = (read_event(message.value) for message in m.messages)
    return {e.event.shoe for e in opened if e is not None and isinstance(e.event, RoundOpened)}


def _starts_shoe(m: Material, shoes: set[str], event: Envelope | None) -> bool:
    return (
        event is not None
        and event.seq == m.shoe_seq
        and isinstance(event.event, ShoeStarted)
        and event.event.shoe in shoes
    )


def _opens_next(m: Material, event: Envelope | None) -> bool:
    return (
        event is not None
        and isinstance(event.event, RoundOpened)
        and (event.round, event.seq) == m.next_round
        and event.round != m.round
    )


def _in_chain(m: Material, given: Iterable[_Given]) -> Iterator[WrongProof]:
    """The bytes have the hashes of the chain."""
    chain, numbers, rests_on = set(m.chain), {entry.seq for entry in m.chain}, m.rests_on()
    hashes = {(entry.seq, entry.hash) for entry in m.chain}
    for member, event, entry in given:
        if entry in chain:
            continue
        if (entry.seq, entry.hash) in hashes:
            says = f"event {entry.seq}: the chain gives it to another round than its bytes in "
            yield WrongProof("chain", "chain.txt", says + member)
        elif entry.seq in numbers:
            says = f"event {entry.seq}: its bytes in {member} do not have the hash of the chain"
            yield WrongProof("bytes", member, says)
        elif member != EVENTS and (
            event is None or event.round == m.round or entry.seq not in rests_on
        ):  # a signature may lie beyond what is sealed: it proves its place itself
            says = f"event {entry.seq} of {member} is not in the chain"
            yield WrongProof("cut", "chain.txt", says)


def _whole_round(m: Material, given: Iterable[_Given]) -> Iterator[WrongProof]:
    """Every event that the chain's tags give to the round is there with its bytes."""
    tag, chain = tag_of(m.round), set(m.chain)
    there = {one.entry for one in given}
    changed = {entry.seq for entry in there - chain}  # told already
    left_out = [e.seq for e in m.chain if e.tag == tag and e not in there and e.seq not in changed]
    if left_out:
        says = f"the chain's tags give {spans(left_out)} to the round, without bytes in the file"
        yield WrongProof("cut", "round.avro", says)


def _links(m: Material, given: Iterable[_Given]) -> Iterator[WrongProof]:
    """Each event that counts names the hash of the one before it that counts."""
    hashes: dict[int, set[bytes]] = {0: {GENESIS}}
    for entry in m.chain:
        hashes.setdefault(entry.seq, set()).add(entry.hash)
    rests_on = m.rests_on()
    counting = [
        one for one in given if one.member in {"round.avro", EVENTS} or one.entry.seq in rests_on
    ]
    hashes |= {one.entry.seq: {one.entry.hash} for one in counting}
    for _, event, entry in counting:
        before = hashes.get(entry.seq - 1)
        if event is not None and before is not None and event.prev not in before:
            says = f"the chain is broken at event {entry.seq}: it names another hash for the event "
            yield WrongProof("chain", "chain.txt", says + "before it than the chain has")


def _lines(m: Material) -> Iterator[WrongProof]:
    """The chain's lines are the ones of its stretches, in order."""
    if list(m.chain) != sorted(set(m.chain)):
        yield WrongProof("chain", "chain.txt", "the lines of the chain are not in their order")
    given = m.stretches()
    for entry in m.chain:
        if not given.cover(entry.seq, entry.seq):
            says = f"event {entry.seq} of the chain lies outside of what the checkpoints seal"
            yield WrongProof("added", "chain.txt", says)
            break
    left = m.open_events()
    if left and m.unsealed is None:
        says = f"no checkpoint in the file seals {spans(left)}"
        yield WrongProof("checkpoint", "checkpoints.jsonl", says)


class ChainLines:
    """The lines of a chain by number: a seal asks for a stretch of them, a checkpoint for one."""

    def __init__(self, chain: Iterable[Entry]) -> None:
        self._entries = sorted(set(chain))
        self._numbers = [entry.seq for entry in self._entries]

    def between(self, first: int, last: int) -> list[Entry]:
        begin, end = bisect_left(self._numbers, first), bisect_right(self._numbers, last)
        return self._entries[begin:end]


def _checkpoint(m: Material, lines: ChainLines, c: Checkpoint) -> Iterator[WrongProof]:
    """The chain's lines give the seal, and the last of them is the head."""
    if c.table != m.table:
        says = f"a checkpoint is of table {c.table}, not {m.table}"
        yield WrongProof("checkpoint", "checkpoints.jsonl", says)
        return
    if c.seal is not None:
        yield from broken_seal(lines, c, "")
    hashes = {entry.hash for entry in lines.between(c.seq, c.seq)}
    if c.head not in hashes:
        says = f"the chain does not meet the checkpoint at event {c.seq}: the checkpoint has hash "
        found = ", ".join(h.hex()[:16] for h in sorted(hashes)[:3]) or "none"
        says += f"{c.head.hex()[:16]}, the chain {found}"
        yield WrongProof("checkpoint", "checkpoints.jsonl", says)


def broken_seal(lines: ChainLines, c: Checkpoint, whose: str) -> Iterator[WrongProof]:
    """What is wrong where the lines of a stretch do not give its seal. `whose`: `kept `."""
    sealed = lines.between(c.first or 1, c.seq)
    if seal_of(sealed) == c.seal:
        return
    numbers = [(c.first or 1) - 1, *(entry.seq for entry in sealed), c.seq + 1]
    missing = [(a + 1, b - 1) for a, b in pairwise(numbers) if b > a + 1]
    twice = [a for a, b in pairwise(numbers) if a == b]
    tells = f"the hashes of {span(c.first or 1, c.seq)} do not give the seal of the {whose}"
    tells += f"checkpoint at event {c.seq}, written {c.at:%Y-%m-%d %H:%M:%S} UTC"
    if missing:
        says = f"the chain is cut: {listed_spans(missing)} missing in it, and {tells}"
        yield WrongProof("cut", "chain.txt", says)
    elif twice:
        says = (
            f"the chain has too much: {spans(sorted(set(twice)))} stands twice in it, and {tells}"
        )
        yield WrongProof("added", "chain.txt", says)
    else:
        yield WrongProof(
            "seal", "chain.txt", f"{tells}: one of the hashes was changed, or the seal"
        )
