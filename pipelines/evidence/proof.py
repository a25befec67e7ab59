"""The proof of a piece of evidence, computed again: bytes to hashes, hashes to the seal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from events.checkpoints import Checkpoint
from events.codec import GENESIS
from events.model import Envelope, RoundOpened, ShoeStarted
from events.seal import Entry, entry_of, seal_of, tag_of
from pipelines.evidence.material import Material, listed_spans, read_event, span, spans


class Wrong(NamedTuple):
    """One thing that is wrong: a word for its kind, the member, and the sentence."""

    kind: str
    member: str | None
    message: str


class _Given(NamedTuple):
    """A message of the file: its member, what it says (None: unreadable), and its line."""

    member: str
    event: Envelope | None
    entry: Entry


def prove(m: Material) -> Iterator[Wrong]:
    """Everything that is wrong with the bytes and the chain; nothing where the proof holds."""
    given = list(_given(m))
    yield from _own(m, [one for one in given if one.member == "round.avro"])
    yield from _beside(m, [one for one in given if one.member == "beside.avro"])
    yield from _in_chain(m, given)
    yield from _whole_round(m, given)
    yield from _links(m, given)
    yield from _lines(m)
    for checkpoint in m.checkpoints:
        yield from _checkpoint(m, checkpoint)


def _given(m: Material) -> Iterator[_Given]:
    for member, messages in (("round.avro", m.messages), ("beside.avro", m.beside)):
        for message in messages:
            found = entry_of(message.value)
            if found is not None and found[0] == m.table:
                yield _Given(member, read_event(message.value), found[1])


def _own(m: Material, own: list[_Given]) -> Iterator[Wrong]:
    """Everything in round.avro is an event of the round, each number once and in order."""
    if not m.messages:
        yield Wrong("bytes", "round.avro", "the file holds no event of the round")
    elif len(own) < len(m.messages) or any(e is None or e.round != m.round for _, e, _ in own):
        says = f"not all events in round.avro are of round {m.round} at {m.table}"
        yield Wrong("bytes", "round.avro", says)
    for before, later in pairwise(own):
        if later.entry.seq <= before.entry.seq:
            says = f"in round.avro event {later.entry.seq} comes after event {before.entry.seq}"
            yield Wrong("bytes", "round.avro", says)


def _beside(m: Material, beside: list[_Given]) -> Iterator[Wrong]:
    """Beside it stand the start of the shoe, and what bears the round's id and can't count."""
    starts = [one for one in beside if _starts_shoe(m, one.event)]
    if m.shoe_seq is not None and len(starts) != 1:
        says = f"the start of the round's shoe, event {m.shoe_seq}, is not in beside.avro"
        yield Wrong("bytes", "beside.avro", says)
    numbers = set(m.numbers())
    others = [
        one
        for one in beside
        if one.entry.tag == tag_of(m.round) and (one.event is None or one.entry.seq in numbers)
    ]
    if len(starts) + len(others) != len(m.beside):
        says = "beside.avro holds an event that does not belong there"
        yield Wrong("bytes", "beside.avro", says)


def _starts_shoe(m: Material, event: Envelope | None) -> bool:
    opened = (read_event(message.value) for message in m.messages)
    shoes = {e.event.shoe for e in opened if e is not None and isinstance(e.event, RoundOpened)}
    return (
        event is not None
        and event.seq == m.shoe_seq
        and isinstance(event.event, ShoeStarted)
        and event.event.shoe in shoes
    )


def _in_chain(m: Material, given: Iterable[_Given]) -> Iterator[Wrong]:
    """The bytes have the hashes of the chain."""
    chain, numbers = set(m.chain), {entry.seq for entry in m.chain}
    hashes = {(entry.seq, entry.hash) for entry in m.chain}
    for member, event, entry in given:
        if entry in chain:
            continue
        if (entry.seq, entry.hash) in hashes:
            says = f"event {entry.seq}: the chain gives it to another round than its bytes in "
            yield Wrong("chain", "chain.txt", says + member)
        elif entry.seq in numbers:
            says = f"event {entry.seq}: its bytes in {member} do not have the hash of the chain"
            yield Wrong("bytes", member, says)
        elif not (entry.seq == m.shoe_seq and event is not None and event.round is None):
            says = f"event {entry.seq} of {member} is not in the chain"
            yield Wrong("cut", "chain.txt", says)


def _whole_round(m: Material, given: Iterable[_Given]) -> Iterator[Wrong]:
    """Every event that the chain's tags give to the round is there with its bytes."""
    tag, chain = tag_of(m.round), set(m.chain)
    there = {one.entry for one in given}
    changed = {entry.seq for entry in there - chain}  # told already
    left_out = [e.seq for e in m.chain if e.tag == tag and e not in there and e.seq not in changed]
    if left_out:
        says = f"the chain's tags give {spans(left_out)} to the round, without bytes in the file"
        yield Wrong("cut", "round.avro", says)


def _links(m: Material, given: Iterable[_Given]) -> Iterator[Wrong]:
    """Each event that counts names the hash of the one before it that counts."""
    hashes: dict[int, set[bytes]] = {0: {GENESIS}}
    for entry in m.chain:
        hashes.setdefault(entry.seq, set()).add(entry.hash)
    counting = [one for one in given if one.member == "round.avro" or one.entry.seq == m.shoe_seq]
    hashes |= {one.entry.seq: {one.entry.hash} for one in counting}
    for _, event, entry in counting:
        before = hashes.get(entry.seq - 1)
        if event is not None and before is not None and event.prev not in before:
            says = f"the chain is broken at event {entry.seq}: it names another hash for the event "
            yield Wrong("chain", "chain.txt", says + "before it than the chain has")


def _lines(m: Material) -> Iterator[Wrong]:
    """The chain's lines are the ones of its stretches, in order."""
    if list(m.chain) != sorted(set(m.chain)):
        yield Wrong("chain", "chain.txt", "the lines of the chain are not in their order")
    for entry in m.chain:
        if not m.covers(entry.seq, entry.seq):
            says = f"event {entry.seq} of the chain lies outside of what the checkpoints seal"
            yield Wrong("added", "chain.txt", says)
            break
    left = m.open_events()
    if left and m.unsealed is None:
        says = f"no checkpoint in the file seals {spans(left)}"
        yield Wrong("checkpoint", "checkpoints.jsonl", says)


def _checkpoint(m: Material, c: Checkpoint) -> Iterator[Wrong]:
    """The chain's lines give the seal, and the last of them is the head."""
    if c.table != m.table:
        says = f"a checkpoint is of table {c.table}, not {m.table}"
        yield Wrong("checkpoint", "checkpoints.jsonl", says)
        return
    if c.seal is not None:
        yield from broken_seal(m, c, "")
    hashes = {entry.hash for entry in m.chain if entry.seq == c.seq}
    if c.head not in hashes:
        says = f"the chain does not meet the checkpoint at event {c.seq}: the checkpoint has hash "
        found = ", ".join(h.hex()[:16] for h in hashes) or "none"
        says += f"{c.head.hex()[:16]}, the chain {found}"
        yield Wrong("checkpoint", "checkpoints.jsonl", says)


def broken_seal(m: Material, c: Checkpoint, whose: str) -> Iterator[Wrong]:
    """What is wrong where the lines of a stretch do not give its seal. `whose`: `kept `."""
    lines = [entry for entry in m.chain if c.seals(entry.seq)]
    if seal_of(lines) == c.seal:
        return
    numbers = [(c.first or 1) - 1, *(entry.seq for entry in lines), c.seq + 1]
    missing = [(a + 1, b - 1) for a, b in pairwise(numbers) if b > a + 1]
    twice = [a for a, b in pairwise(numbers) if a == b]
    tells = f"the hashes of {span(c.first or 1, c.seq)} do not give the seal of the {whose}"
    tells += f"checkpoint at event {c.seq}, written {c.at:%Y-%m-%d %H:%M:%S} UTC"
    if missing:
        says = f"the chain is cut: {listed_spans(missing)} missing in it, and {tells}"
        yield Wrong("cut", "chain.txt", says)
    elif twice:
        says = (
            f"the chain has too much: {spans(sorted(set(twice)))} stands twice in it, and {tells}"
        )
        yield Wrong("added", "chain.txt", says)
    else:
        yield Wrong("seal", "chain.txt", f"{tells}: one of the hashes was changed, or the seal")
