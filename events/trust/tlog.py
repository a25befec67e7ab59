"""A state of the transparency log (C2SP tlog-checkpoint), and witnesses' signatures under it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from events.trust.errors import TrustError
from events.trust.note import (
    COSIGNATURE,
    NoteSignature,
    SignedNote,
    SignerKey,
    VerifierKey,
    open_note,
    sign_note,
)


@dataclass(frozen=True, slots=True)
class TreeState:
    """Whose log, how many leaves, and the root over them."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def parse_state(text: str) -> TreeState:
    """The state that a checkpoint's text tells; lines after the third are extensions."""
    lines = text.split("\n")
    if len(lines) < 4 or not lines[0] or lines[-1]:
        raise TrustError("not a checkpoint: expected an origin, a size and a root, a line each")
    origin, size, root = lines[:3]
    plain = size.isascii() and size.isdigit() and (size == "0" or size[0] != "0")
    if not plain or len(size) > 18:
        raise TrustError(f"not a checkpoint: expected a size in decimal, found {size[:20]!r}")
    try:
        digest = base64.b64decode(root, validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if len(digest) != 32:
        raise TrustError("not a checkpoint: expected a root of 32 bytes in base64")
    return TreeState(origin, int(size), digest)


def sign_state(state: TreeState, key: SignerKey) -> SignedNote:
    """The checkpoint of a state, signed by the house."""
    return sign_note(state.text(), key)


def open_state(content: str, house: Iterable[VerifierKey]) -> tuple[TreeState, SignedNote]:
    """The state of a checkpoint that one of the house's keys has signed; else a TrustError."""
    note, _ = open_note(content, house)
    return parse_state(note.text), note


def cosign(note: SignedNote, key: SignerKey, at: datetime) -> NoteSignature:
    """A witness's signature: this state was seen at this time and fits all that were seen."""
    seconds = int(at.timestamp())
    signature = key.sign(_cosigned(note.text, seconds))
    blob = seconds.to_bytes(8, "big") + signature
    return NoteSignature(key.name, key.cosigner.number, blob)


def cosigned_at(note: SignedNote, witness: VerifierKey) -> datetime | None:
    """When a witness signed the checkpoint; None where it did not. False ones are a TrustError."""
    if witness.kind != COSIGNATURE:
        raise TrustError(f"the key {witness.name} is no witness's key")
    found = note.by(witness)
    if found is None:
        return None
    if len(found.signature) != 72:
        raise TrustError(f"the signature of the witness {witness.name} has a wrong length")
    seconds = int.from_bytes(found.signature[:8], "big")
    if not witness.verify(_cosigned(note.text, seconds), found.signature[8:]):
        raise TrustError(f"the signature of the witness {witness.name} does not fit the checkpoint")
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        raise TrustError(f"the witness {witness.name} signed at a time that is none") from None


def _cosigned(text: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()
