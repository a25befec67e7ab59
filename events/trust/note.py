"""Signed notes (C2SP signed-note): a text, an empty line, and a line for each signature.

A key has a name and a number that tells it from others of that name. A verifier skips signatures
of keys it does not know; one of a key that it knows and that does not fit makes the note false.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.trust.errors import TrustError

ED25519, COSIGNATURE = 0x01, 0x04
_DASH = "\N{EM DASH} "
MAX_NOTE_BYTES = 1_000_000
MAX_SIGNATURES = 100


def key_number(name: str, kind: int, public: bytes) -> bytes:
    """The four bytes by which a signature says which key made it."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def check_name(name: str) -> str:
    if not name or "+" in name or any(c.isspace() for c in name) or not name.isprintable():
        raise TrustError(f"a key's name has no space and no plus sign, found {name!r}")
    return name


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """What others need to check signatures: `name+number+key`."""

    name: str
    public: bytes
    kind: int = ED25519

    @property
    def number(self) -> bytes:
        return key_number(self.name, self.kind, self.public)

    def __str__(self) -> str:
        key = base64.b64encode(bytes([self.kind]) + self.public).decode()
        return f"{self.name}+{self.number.hex()}+{key}"

    def verify(self, message: bytes, signature: bytes) -> bool:
        """Whether this key made the signature over exactly these bytes."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


def verifier_key(text: str) -> VerifierKey:
    """A key as it stands in a file of known keys, or a TrustError that says what is wrong."""
    parts = text.strip().split("+", 2)
    if len(parts) != 3:
        raise TrustError(f"expected a key as name+number+key, found {text.strip()[:60]!r}")
    name, number, key = parts
    raw = _base64(key, "the key of a verifier")
    if len(raw) != 33 or raw[0] not in {ED25519, COSIGNATURE}:
        raise TrustError(f"the key {name}: expected an Ed25519 key, found {len(raw)} bytes")
    found = VerifierKey(check_name(name), raw[1:], raw[0])
    if number != found.number.hex():
        raise TrustError(f"the key {name}: its number is {found.number.hex()}, not {number[:16]}")
    return found


def known_keys(text: str) -> list[VerifierKey]:
    """The keys of a file: one a line, `#` begins a comment."""
    out = []
    for at, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].strip()
        if words:
            try:
                out.append(verifier_key(words))
            except TrustError as error:
                raise TrustError(f"line {at}: {error}") from None
    return out


@dataclass(frozen=True, slots=True)
class SignerKey:
    """A private key. Its bytes are in no repr and no message."""

    name: str
    _private: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def make(cls, name: str) -> SignerKey:
        return cls(check_name(name), Ed25519PrivateKey.generate())

    @classmethod
    def from_seed(cls, name: str, seed: bytes) -> SignerKey:
        if len(seed) != 32:
            raise TrustError(f"the private key {name}: expected 32 bytes, found {len(seed)}")
        return cls(check_name(name), Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def from_text(cls, text: str) -> SignerKey:
        """`PRIVATE+KEY+name+number+key`, as Go's note package writes it too."""
        parts = text.strip().split("+", 4)
        if len(parts) != 5 or parts[:2] != ["PRIVATE", "KEY"]:
            raise TrustError("expected a private key, beginning PRIVATE+KEY+")
        raw = _base64(parts[4], f"the private key {parts[2]}")
        if len(raw) != 33 or raw[0] != ED25519:
            raise TrustError(f"the private key {parts[2]}: expected an Ed25519 key")
        found = cls.from_seed(parts[2], raw[1:])
        if found.verifier.number.hex() != parts[3]:
            raise TrustError(f"the private key {parts[2]}: its number does not fit the key")
        return found

    def to_text(self) -> str:
        """For a file that only its owner reads, and for nothing else."""
        raw = base64.b64encode(bytes([ED25519]) + self._private.private_bytes_raw()).decode()
        return f"PRIVATE+KEY+{self.name}+{self.verifier.number.hex()}+{raw}\n"

    @property
    def verifier(self) -> VerifierKey:
        return VerifierKey(self.name, self._private.public_key().public_bytes_raw())

    @property
    def cosigner(self) -> VerifierKey:
        """The same key in the role of a witness."""
        return VerifierKey(self.name, self.verifier.public, COSIGNATURE)

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: whose, by which key, and its bytes."""

    name: str
    number: bytes
    signature: bytes

    def line(self) -> str:
        return f"{_DASH}{self.name} {base64.b64encode(self.number + self.signature).decode()}\n"


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text with the signatures that stand under it, verified or not."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(s.line() for s in self.signatures)

    def by(self, key: VerifierKey) -> NoteSignature | None:
        """The first signature that says it is by this key."""
        for signature in self.signatures:
            if (signature.name, signature.number) == (key.name, key.number):
                return signature
        return None

    def with_signatures(self, more: Iterable[NoteSignature]) -> SignedNote:
        known = {(s.name, s.number) for s in self.signatures}
        new = tuple(s for s in more if (s.name, s.number) not in known)
        return SignedNote(self.text, (*self.signatures, *new))


def sign_note(text: str, *keys: SignerKey) -> SignedNote:
    if not text.endswith("\n"):
        raise TrustError("the text of a note ends in a line's end")
    signed = [NoteSignature(k.name, k.verifier.number, k.sign(text.encode())) for k in keys]
    return SignedNote(text, tuple(signed))


def parse_note(content: str) -> SignedNote:
    """A note taken apart; nothing is verified yet."""
    if len(content.encode("utf-8", "replace")) > MAX_NOTE_BYTES:
        raise TrustError("not a signed note: larger than a note may be")
    if any(c != "\n" and (c < " " or c == "\x7f") for c in content):
        raise TrustError("not a signed note: it holds control characters")
    text, blank, rest = content.rpartition("\n\n")
    if not blank or not rest.endswith("\n"):
        raise TrustError("not a signed note: expected an empty line and signatures under it")
    lines = rest[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise TrustError("not a signed note: more signatures than a note may have")
    return SignedNote(text + "\n", tuple(parse_signature(line) for line in lines))


def parse_signature(line: str) -> NoteSignature:
    name, space, raw = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space:
        raise TrustError("not a signed note: a line under it is no signature")
    blob = _base64(raw, "a signature")
    if len(blob) < 5:
        raise TrustError("not a signed note: a signature is too short")
    return NoteSignature(check_name(name), blob[:4], blob[4:])


def open_note(content: str, keys: Iterable[VerifierKey]) -> tuple[SignedNote, list[VerifierKey]]:
    """The note and who of the known keys signed it; a TrustError where none did or one is false."""
    note = parse_note(content)
    signed = []
    for key in keys:
        found = note.by(key) if key.kind == ED25519 else None
        if found is None:
            continue
        if not key.verify(note.text.encode(), found.signature):
            raise TrustError(f"the signature of {key.name} does not fit the note")
        signed.append(key)
    if not signed:
        raise TrustError("none of the known keys has signed the note")
    return note, signed


def _base64(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise TrustError(f"{what} is not base64") from None
