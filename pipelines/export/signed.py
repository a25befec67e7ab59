"""The house's signature over an export, and how whoever got the folder checks it.

`manifest.dsse.json` is a statement of the in-toto kind in a DSSE envelope, as those of the runs
are: its subjects are all other files of the folder by their SHA-256, the manifest included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from events.errors import ContractError, EvenhandError, InputError
from events.handed import bounds
from events.handed.text import parse_json, read_whole
from events.runtime.digest import file_sha256
from events.trust.dsse import IN_TOTO, SignedStatement, in_toto, parse_envelope, sign_envelope
from events.trust.errors import TrustError
from events.trust.note import SignerKey, VerifierKey, known_keys

MANIFEST, SIGNED = "manifest.json", "manifest.dsse.json"
PREDICATE = "urn:evenhand:export:v1"


def sign_files(folder: Path, manifest: Mapping[str, Any], key: SignerKey) -> str:
    """The envelope over every file that lies in the folder now."""
    files = {path.name: file_sha256(path).hex() for path in sorted(folder.iterdir())}
    predicate = {
        **{name: manifest[name] for name in ("from", "to", "made_at", "made_by")},
        "runs": {one["day"]: one["run"] for one in manifest["days"]},
        "keys": [str(key.verifier)],
    }
    return sign_envelope(IN_TOTO, in_toto(PREDICATE, files, predicate), key).line()


class WrongExport(NamedTuple):
    """One thing that is wrong: a word for its kind, the file, and the sentence."""

    kind: str
    file: str
    message: str


@dataclass(frozen=True, slots=True)
class ExportVerdict:
    """What an export is worth."""

    wrong: tuple[WrongExport, ...]
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not self.wrong

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": "sound" if self.sound else "not sound",
            "wrong": [one._asdict() for one in self.wrong],
            "notes": list(self.notes),
        }


def check_export(folder: Path, trusted: Sequence[VerifierKey] | None = None) -> ExportVerdict:
    """An export that somebody got, offline. `trusted`: keys that he knows; else the key that the
    file itself names, which is the house's own word."""
    if not folder.is_dir():
        raise InputError(f"{folder}: expected the folder of an export, found none")
    path = folder / SIGNED
    if not path.is_file():
        says = f"{SIGNED} is missing: nobody signed for this export"
        return ExportVerdict((WrongExport("unsigned", SIGNED, says),))
    try:
        envelope = parse_envelope(read_whole(path, bounds.MEMBER_JSON_BYTES))
        stated = _stated(envelope)
        key = envelope.signed_by(known_keys(stated.keys) if trusted is None else trusted)
    except EvenhandError as error:
        return ExportVerdict((WrongExport("signature", SIGNED, f"{SIGNED}: {error}"),))
    if key is None:
        by = ", ".join(name for name, _ in envelope.signatures) or "nobody"
        says = f"{SIGNED} is signed by {by}, no key that you trust"
        return ExportVerdict((WrongExport("signature", SIGNED, says),))
    whose = (
        "a key that you trust"
        if trusted is not None
        else "by that house's own word: --trust FILE holds it against keys that you know"
    )
    notes = (
        f"{stated.period}: {len(stated.files)} files signed by {key.name} ({whose})",
        *(f"day {day}: run {run or 'none'}" for day, run in stated.runs.items()),
    )
    return ExportVerdict(tuple(_files(folder, stated.files)), notes)


class _Stated(NamedTuple):
    """What the statement says."""

    files: dict[str, str]
    keys: str
    period: str
    runs: dict[str, str | None]


def _stated(envelope: SignedStatement) -> _Stated:
    try:
        plain = parse_json(envelope.payload, bounds.MEMBER_JSON_BYTES)
        if (envelope.kind, plain["predicateType"]) != (IN_TOTO, PREDICATE):
            raise TrustError("expected a statement about an export")
        told = plain["predicate"]
        return _Stated(
            {str(s["name"]): str(s["digest"]["sha256"]) for s in plain["subject"]},
            "\n".join(map(str, told["keys"])),
            f"{told['from']} to {told['to']}, made {told['made_at']} by {told['made_by']}",
            {str(day): run for day, run in told["runs"].items()},
        )
    except (ContractError, KeyError, TypeError, AttributeError):
        raise TrustError("expected a statement about an export") from None


def _files(folder: Path, signed: Mapping[str, str]) -> Iterator[WrongExport]:
    """The folder's files against those that were signed."""
    there = {path.name: path for path in sorted(folder.iterdir()) if path.name != SIGNED}
    for name, digest in signed.items():
        path = there.pop(name, None)
        if path is None:
            yield WrongExport("missing", name, f"{name} is missing")
        elif path.is_symlink() or not path.is_file() or file_sha256(path).hex() != digest:
            yield WrongExport("changed", name, f"{name} was changed: it is not what was signed")
    for name in there:
        yield WrongExport("added", name, f"{name}: nobody signed for this file")
