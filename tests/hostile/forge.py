"""Evidence forged with everything put right that a forger can: hashes, seal, checksums, zip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from events.archive.evidence import StoredMessage
from events.codec import GENESIS, body_of, encode, hash_body
from events.model import Envelope
from events.seal import Entry, entry_of, seal_of
from pipelines.evidence.derive import all_members, sums
from pipelines.evidence.material import Material, given_members
from pipelines.evidence.seal import pack


def forged_round(m: Material, events: Sequence[Envelope]) -> Material:
    """The same evidence with other events, numbered and chained from the round's first on, and one
    checkpoint that seals exactly these."""
    prev, seq = GENESIS, m.numbers()[0]
    messages: list[StoredMessage] = []
    chain: list[Entry] = []
    for n, event in enumerate(events):
        sent = replace(event, table=m.table, round=m.round, seq=seq + n, prev=prev)
        value = encode(sent)
        prev = hash_body(body_of(value))
        messages.append(m.messages[0]._replace(value=value))
        found = entry_of(value)
        assert found is not None
        chain.append(found[1])
    last = chain[-1]
    sealed = replace(m.checkpoints[0], first=seq, seq=last.seq, head=last.hash, seal=seal_of(chain))
    return replace(
        m, messages=tuple(messages), beside=(), chain=tuple(chain), checkpoints=(sealed,),
        unsealed=None, shoe_seq=None,
    )  # fmt: skip


def packed(m: Material) -> bytes:
    """The material with everything that follows from it."""
    return pack(all_members(m))


def resealed(members: dict[str, bytes]) -> bytes:
    """Changed members with fitting checksums in a fresh zip."""
    return pack({**members, "SHA256SUMS": sums(members)})


def given(m: Material) -> dict[str, bytes]:
    """The given members alone: what follows from them is left to the verifier."""
    return given_members(m)
