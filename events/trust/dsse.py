"""A signed statement (DSSE envelope): what kind of text it is, the text, and who signed both."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from events.trust.errors import TrustError

if TYPE_CHECKING:  # whoever only reads a statement pays for no cryptography
    from events.trust.note import SignerKey, VerifierKey


IN_TOTO = "application/vnd.in-toto+json"


def in_toto(kind: str, subjects: Mapping[str, str], predicate: Mapping[str, Any]) -> bytes:
    """A statement of the in-toto kind: files by their SHA-256, and what is said of them."""
    plain = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": n, "digest": {"sha256": d}} for n, d in subjects.items()],
        "predicateType": kind,
        "predicate": predicate,
    }
    return json.dumps(plain, ensure_ascii=False).encode()


def signed_bytes(kind: str, payload: bytes) -> bytes:
    """What a signature is over: kind and text with their lengths, so that neither can move."""
    named = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(named), named, len(payload), payload)


@dataclass(frozen=True, slots=True)
class SignedStatement:
    """A text with signatures over it, verified or not."""

    kind: str
    payload: bytes
    signatures: tuple[tuple[str, bytes], ...]  # key id, signature

    def line(self) -> str:
        """As one line of JSON."""
        signed = [
            {"keyid": key, "sig": base64.b64encode(signature).decode()}
            for key, signature in self.signatures
        ]
        payload = base64.b64encode(self.payload).decode()
        return json.dumps({"payloadType": self.kind, "payload": payload, "signatures": signed})

    def signed_by(self, keys: Iterable[VerifierKey]) -> VerifierKey | None:
        """The first of the known keys that signed it; a signature of theirs that does not fit is a
        TrustError."""
        from events.trust.note import ED25519

        message = signed_bytes(self.kind, self.payload)
        for key in keys:
            for name, signature in self.signatures:
                if key.kind == ED25519 and name == key_id(key):
                    if not key.verify(message, signature):
                        raise TrustError(f"the signature of {key.name} does not fit")
                    return key
        return None


def key_id(key: VerifierKey) -> str:
    return f"{key.name}+{key.number.hex()}"


def sign_envelope(kind: str, payload: bytes, key: SignerKey) -> SignedStatement:
    return SignedStatement(
        kind, payload, ((key_id(key.verifier), key.sign(signed_bytes(kind, payload))),)
    )


def parse_envelope(content: bytes) -> SignedStatement:
    """An envelope taken apart; nothing is verified yet."""
    try:
        plain: Any = json.loads(content)
        signed = [(str(s["keyid"]), _base64(s["sig"])) for s in plain["signatures"]]
        return SignedStatement(str(plain["payloadType"]), _base64(plain["payload"]), tuple(signed))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TrustError("expected a signed statement (DSSE envelope)") from None


def _base64(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("not base64") from None
