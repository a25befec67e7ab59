"""A piece of evidence against a copy of the table's checkpoints that somebody kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from events.checkpoints import Checkpoint
from pipelines.evidence.material import Material, span
from pipelines.evidence.proof import ChainLines, WrongProof, broken_seal


def against(m: Material, kept: Sequence[Checkpoint]) -> Iterator[WrongProof]:
    """Does a copy that somebody kept know the same checkpoints, and nothing else?"""
    for c in m.checkpoints:
        same = [k for k in kept if k.seq == c.seq]
        where = f"checkpoint at event {c.seq}"
        if c in same:
            continue
        if not same:
            yield _contradicts(
                f"the kept copy has no {where}, so it can't vouch for this file: ask for evidence "
                "that rests on one it has"
            )
        elif all(k.head != c.head for k in same):
            yield _contradicts(f"the kept copy has another hash for the {where}")
        elif all((k.first, k.seal) != (c.first, c.seal) for k in same):
            yield _contradicts(f"the kept copy has another seal for the {where}")
        else:
            yield _contradicts(f"the kept copy has another time or reason for the {where}")
    yield from _earlier_seals(m, kept)
    chain: dict[int, set[bytes]] = {}
    for entry in m.chain:
        chain.setdefault(entry.seq, set()).add(entry.hash)
    for k in kept:
        if k.head not in chain.get(k.seq, {k.head}):
            says = f"the chain's hash of event {k.seq} is not the one that was kept"
            yield WrongProof("checkpoint", "chain.txt", says)


def _contradicts(says: str) -> WrongProof:
    return WrongProof("checkpoint", "checkpoints.jsonl", says)


def _earlier_seals(m: Material, kept: Sequence[Checkpoint]) -> Iterator[WrongProof]:
    """What was sealed first must still fit: a house may seal anew what it has changed."""
    older: list[Checkpoint] = []
    for seq in m.numbers():
        own = [c.at for c in m.checkpoints if c.seals(seq)]
        older += [k for k in kept if k.seals(seq) and not any(at <= k.at for at in own)]
    given, lines = m.stretches(), ChainLines(m.chain)
    for k in dict.fromkeys(older):
        if given.cover(k.first or 1, k.seq):
            yield from broken_seal(lines, k, "kept ")
        else:
            yield _contradicts(
                f"the kept copy has a checkpoint of {k.at:%Y-%m-%d %H:%M:%S} UTC that sealed "
                f"{span(k.first or 1, k.seq)}, and this file leaves it out: ask for evidence that "
                "rests on it"
            )


def vouching(m: Material, kept: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
    """Checkpoints of the copy that seal what the file's own do not; written after it was made."""
    left, given = m.open_events(), m.stretches()
    for k in kept:
        if any(k.seals(seq) for seq in left) and given.cover(k.first or 1, k.seq):
            left = [seq for seq in left if not k.seals(seq)]
            yield k
