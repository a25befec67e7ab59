"""The house sends its checkpoint to a witness and gets a signature, or learns why not."""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from events.trust.errors import TrustError
from events.trust.merkle import MerkleTree
from events.trust.note import NoteSignature, SignedNote, VerifierKey, parse_signature
from events.trust.tlog import cosigned_at, parse_state
from pipelines.witness.wire import PATH, SIZE_TYPE, to_body

_ANSWER_BYTES = 16 << 10


@dataclass(frozen=True, slots=True)
class WitnessAddress:
    """Where a witness is, and the key by which its signatures are known."""

    url: str
    key: VerifierKey


class WitnessAwayError(TrustError):
    """The witness did not answer; the night goes on without it."""


def ask_witness(
    where: WitnessAddress, tree: MerkleTree, note: SignedNote, *, seconds: float = 10
) -> NoteSignature:
    """The witness's signature under a checkpoint; a TrustError says why there is none.

    The first try begins at nothing; the witness then says where it stands, and the second proves
    that the log only grew since.
    """
    size = parse_state(note.text).size
    old = 0
    for _ in range(2):
        if old > size:
            raise TrustError(
                f"{where.key.name} has seen {old} leaves of this log, which now has {size}: "
                "it was rewritten or shortened"
            )
        body = to_body(old, tree.consistency_proof(old, size), str(note))
        status, kind, text = _post(where.url, body, seconds)
        if status == HTTPStatus.OK:
            return _verified(where, note, text)
        if status != HTTPStatus.CONFLICT or not kind.startswith(SIZE_TYPE):
            raise TrustError(f"{where.key.name} does not sign: {' '.join(text.split())[:300]}")
        if not text.strip().isdigit():
            raise TrustError(f"{where.key.name} does not say where it stands")
        old = int(text)
    raise TrustError(f"{where.key.name} says two different things about where it stands")


def _verified(where: WitnessAddress, note: SignedNote, text: str) -> NoteSignature:
    for line in text.splitlines():
        signature = parse_signature(line)
        if cosigned_at(note.with_signatures([signature]), where.key) is not None:
            return signature
    raise TrustError(f"{where.key.name} answered with another key's signature")


def _post(url: str, body: bytes, seconds: float) -> tuple[int, str, str]:
    request = urllib.request.Request(url.rstrip("/") + PATH, body, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return _read(answer)
    except urllib.error.HTTPError as error:
        return _read(error)
    except (OSError, ValueError) as error:
        raise WitnessAwayError(f"no answer from {url}: {error}") from None


def _read(answer: Any) -> tuple[int, str, str]:
    kind = str(answer.headers.get("Content-Type", ""))
    return int(answer.status), kind, answer.read(_ANSWER_BYTES).decode("utf-8", "replace")
