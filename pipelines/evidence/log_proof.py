"""From a round's seal to a state of the house's log that somebody signed (C2SP, RFC 6962).

`checkpoint.note` is the state with its signatures, as other tools read it; `inclusion.json` has for
each seal the place of its line in the log, the hashes that lead from there to the root, and the
keys by which the house says that it signs.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, NamedTuple

NOTE, PROOFS = "checkpoint.note", "inclusion.json"
LOG_MEMBERS = (NOTE, PROOFS)
_MOST_HASHES = 63


class SealPlace(NamedTuple):
    """Where the line of the checkpoint at an event stands, and the way from it to the root."""

    seq: int
    leaf: int
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class LogProof:
    """A signed state of the log, and the proofs that seals are in it."""

    note: str
    keys: tuple[str, ...]
    places: tuple[SealPlace, ...]

    def plain(self) -> dict[str, Any]:
        return {
            "keys": list(self.keys),
            "seals": [
                {"seq": p.seq, "index": p.leaf, "hashes": [_text(h) for h in p.hashes]}
                for p in self.places
            ],
        }


def _text(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def proof_of(note: str, plain: Any) -> LogProof:
    """The proof as its members tell it, or a ValueError, KeyError or TypeError."""
    if len(plain["seals"]) > 1000 or len(plain["keys"]) > 100:
        raise ValueError("more seals or keys than evidence has")
    found = []
    for one in plain["seals"]:
        if type(one["seq"]) is not int or type(one["index"]) is not int:
            raise ValueError("a seal's numbers are none")
        if len(one["hashes"]) > _MOST_HASHES:
            raise ValueError(f"a proof has at most {_MOST_HASHES} hashes")
        found.append(SealPlace(one["seq"], one["index"], tuple(map(_digest, one["hashes"]))))
    return LogProof(note, tuple(map(str, plain["keys"])), tuple(found))


def _digest(text: str) -> bytes:
    try:
        digest = base64.b64decode(text, validate=True)
    except binascii.Error:
        digest = b""
    if len(digest) != 32:
        raise ValueError("a hash of a proof is none")
    return digest
