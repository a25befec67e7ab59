"""The way from a round's seal to a signed state of the house's log: found, and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from events.checkpoints import Checkpoint, to_line
from events.house_log import HouseLog, places, sealed_lines
from events.trust.errors import TrustError
from events.trust.house import house_keys
from events.trust.merkle import MerkleTree, check_inclusion, leaf_hash
from events.trust.note import COSIGNATURE, ED25519, SignedNote, VerifierKey, known_keys, parse_note
from events.trust.tlog import cosigned_at, open_state, parse_state
from pipelines.evidence.log_proof import NOTE, PROOFS, LogProof, SealPlace
from pipelines.evidence.proof import WrongProof


def find_proof(log: HouseLog, checkpoints: Sequence[Checkpoint]) -> LogProof | None:
    """The proof for some seals, to the state with the most signatures of those with the most of
    them in it; None where none was signed yet."""
    leaves = sealed_lines(log.checkpoints)
    where = places(leaves)
    found = {c.seq: where.get(to_line(c).encode()) for c in checkpoints if c.seal is not None}
    inside = [(seq, index) for seq, index in found.items() if index is not None]

    def worth(note: SignedNote) -> tuple[int, int]:
        size = parse_state(note.text).size
        return sum(index < size for _, index in inside), len(note.signatures)

    states = [note for note in log.states() if worth(note)[0]]
    if not states:
        return None
    best = max(states, key=worth)
    size = parse_state(best.text).size
    tree = MerkleTree(leaves)
    ways = tuple(
        SealPlace(seq, index, tuple(tree.inclusion_proof(index, size)))
        for seq, index in inside
        if index < size <= tree.size
    )
    return LogProof(str(best), tuple(str(key) for key in house_keys(log.home)), ways)


def prove_log(
    proof: LogProof | None, seals: Sequence[Checkpoint], trusted: Sequence[VerifierKey] | None
) -> Iterator[WrongProof]:
    """What is wrong with the way from the seals to a signed state. `trusted`: keys that somebody
    knows; then what none of them signed is wrong too."""
    if proof is None:
        if trusted is not None:
            says = "the file has no state of the house's log: no key that you trust has signed it"
            yield WrongProof("signature", None, says)
        return
    try:
        yield from _prove(proof, seals, trusted)
    except TrustError as error:
        yield WrongProof("signature", NOTE, f"{NOTE}: {error}")


def _prove(
    proof: LogProof, seals: Sequence[Checkpoint], trusted: Sequence[VerifierKey] | None
) -> Iterator[WrongProof]:
    state = parse_state(parse_note(proof.note).text)
    own = known_keys("\n".join(proof.keys))
    open_state(proof.note, [k for k in (own if trusted is None else trusted) if k.kind == ED25519])
    ways: Mapping[int, SealPlace] = {place.seq: place for place in proof.places}
    for c in seals:
        way = ways.get(c.seq)
        if way is None:
            if trusted is not None:
                says = f"the seal at event {c.seq} is in no state of the log that was signed"
                yield WrongProof("log", PROOFS, says)
            continue
        try:
            leaf = leaf_hash(to_line(c).encode())
            check_inclusion(way.leaf, state.size, leaf, way.hashes, state.root)
        except TrustError as error:
            says = f"the seal at event {c.seq} does not lead to the state that was signed: {error}"
            yield WrongProof("log", PROOFS, says)
    if trusted is not None:
        witnesses = [key for key in trusted if key.kind == COSIGNATURE]
        if witnesses and not list(_cosigned(proof, witnesses)):
            says = "no witness whose key you trust has signed the state of the log"
            yield WrongProof("witness", NOTE, says)


def _cosigned(proof: LogProof, witnesses: Sequence[VerifierKey]) -> Iterator[str]:
    note = parse_note(proof.note)
    for key in witnesses:
        at = cosigned_at(note, key)
        if at is not None:
            yield f"the witness {key.name} signed that state at {at:%Y-%m-%d %H:%M:%S} UTC"


def log_notes(
    proof: LogProof | None, seals: Sequence[Checkpoint], trusted: Sequence[VerifierKey] | None
) -> Iterator[str]:
    """Whose word it is, where nothing is wrong."""
    if proof is None or not seals:
        return
    state = parse_state(parse_note(proof.note).text)
    placed = {place.seq for place in proof.places}
    held = sum(c.seq in placed for c in seals)
    told = f"{held} of {len(seals)} seals are in the log {state.origin} as of {state.size:,} leaves"
    if trusted is None:
        yield f"{told}, by that house's own word: --trust FILE holds it against keys that you know"
        return
    yield f"{told}, signed by a key that you trust"
    yield from _cosigned(proof, [key for key in trusted if key.kind == COSIGNATURE])
