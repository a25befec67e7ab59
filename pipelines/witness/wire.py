"""What goes over the wire: `old SIZE`, the proof's hashes, an empty line, and the checkpoint."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from events.trust.errors import TrustError

MAX_BODY_BYTES = 256 << 10
MAX_PROOF = 63
SIZE_TYPE = "text/x.tlog.size"
PATH = "/add-checkpoint"


def to_body(old: int, proof: Sequence[bytes], checkpoint: str) -> bytes:
    lines = "".join(base64.b64encode(digest).decode() + "\n" for digest in proof)
    return f"old {old}\n{lines}\n{checkpoint}".encode()


def from_body(body: bytes) -> tuple[int, list[bytes], str]:
    """The three parts, or a TrustError that says what is not as it should be."""
    try:
        head, blank, checkpoint = body.decode("utf-8").partition("\n\n")
    except UnicodeDecodeError:
        raise TrustError("the request is not text") from None
    first, *lines = head.split("\n")
    word, _, size = first.partition(" ")
    if not blank or word != "old" or not (size.isascii() and size.isdigit()) or len(size) > 18:
        raise TrustError("expected `old SIZE`, a proof, an empty line and a checkpoint")
    if len(lines) > MAX_PROOF:
        raise TrustError(f"a proof has at most {MAX_PROOF} hashes, found {len(lines)}")
    return int(size), [_digest(line) for line in lines], checkpoint


def _digest(line: str) -> bytes:
    try:
        digest = base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if len(digest) != 32:
        raise TrustError("a line of the proof is no hash of 32 bytes in base64")
    return digest
