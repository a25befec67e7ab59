"""Checking evidence that somebody sent: offline, without an archive, in words for each thing wrong.

First the file as a whole, by its checksums. Only where these agree is it worth looking further: the
chain is computed again from the bytes, the round settled again, and everything else in the zip made
again and compared. So evidence that was forged with fitting checksums is found out too.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from events.checkpoints import Checkpoint
from events.errors import ContractError, EvenhandError, InputError
from events.handed import bounds
from events.handed.text import open_handed, parse_json, read_bounded
from events.trust.note import VerifierKey
from pipelines.evidence.against import against, vouching
from pipelines.evidence.derive import SUMS, all_members, software_fingerprint, sums
from pipelines.evidence.gateway import GATEWAY_MEMBERS
from pipelines.evidence.gateway_proof import gateway_notes, prove_gateway
from pipelines.evidence.inclusion import log_notes, prove_log
from pipelines.evidence.log_proof import LOG_MEMBERS
from pipelines.evidence.material import Material, listed_spans, span, spans
from pipelines.evidence.proof import WrongProof, prove
from pipelines.evidence.read import MemberError, read_material
from pipelines.evidence.seal import RepackedError, UnreadableError, pack, unpack
from pipelines.evidence.word import MakersWord, makers_word

NEEDED = (
    "README.txt manifest.json round.avro beside.avro chain.txt checkpoints.jsonl "
    "rulebook.json answer.json findings.json round.html SHA256SUMS"
).split()
_SCHEMA = re.compile(r"schema\.v\d+\.avsc")
_WORDING = frozenset({"round.html", "README.txt"})
_OTHER = {
    "answer.json": ("answer", "the answer is not what the rulebook gives for these bytes"),
    "findings.json": ("findings", "the findings are not the ones that follow from these bytes"),
    "rulebook.json": ("rulebook", "the rulebook's fingerprint or clauses are not the ones applied"),
    "round.html": ("page", "the page is not the one of this round"),
    "README.txt": ("readme", "the README is not the one of this evidence"),
}


@dataclass(frozen=True, slots=True)
class EvidenceVerdict:
    """What a piece of evidence is worth."""

    wrong: tuple[WrongProof, ...]
    notes: tuple[str, ...] = ()
    material: Material | None = None
    word: tuple[MakersWord, ...] = ()  # what the file says and nothing proves

    @property
    def sound(self) -> bool:
        return not self.wrong

    @property
    def other_software(self) -> bool:
        """Whether other code made it, or says so: then less of it could be compared."""
        return any(one.statement == "software" for one in self.word)

    @property
    def text(self) -> str:
        """The verdict in words. Made by other software it is never called sound without that."""
        if not self.sound:
            return "not sound"
        return "sound, made by other software" if self.other_software else "sound"

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.text,
            "round": None if self.material is None else self.material.round,
            "table": None if self.material is None else self.material.table,
            "wrong": [one._asdict() for one in self.wrong],
            "notes": list(self.notes),
            "makers_word": [one._asdict() for one in self.word],
        }


def verify_file(
    path: Path,
    kept: Sequence[Checkpoint] | None = None,
    trusted: Sequence[VerifierKey] | None = None,
) -> EvidenceVerdict:
    """Check a file. `kept`: checkpoints kept elsewhere; `trusted`: keys that somebody knows."""
    with open_handed(path) as file:
        try:
            content = read_bounded(file, str(path), bounds.EVIDENCE_BYTES)
        except InputError as error:
            return EvidenceVerdict((WrongProof("unreadable", None, str(error)),))
    return verify(content, kept, trusted)


def verify(
    content: bytes,
    kept: Sequence[Checkpoint] | None = None,
    trusted: Sequence[VerifierKey] | None = None,
) -> EvidenceVerdict:
    """Check the bytes of a piece of evidence; whatever they are, there is a verdict.

    What can't be checked to its end is not sound: whoever sent it may have meant to stop us there.
    """
    try:
        return _verify(content, kept, trusted)
    except (Exception, MemoryError) as error:
        if "--traceback" in sys.argv:
            raise
        says = f"the check itself did not come to its end ({type(error).__name__}: {error})"
        return EvidenceVerdict(
            (WrongProof("unchecked", None, f"{says}; please report it with the file"),)
        )


def _verify(
    content: bytes, kept: Sequence[Checkpoint] | None, trusted: Sequence[VerifierKey] | None
) -> EvidenceVerdict:
    try:
        members = unpack(content)
    except RepackedError as error:
        return EvidenceVerdict((WrongProof("repacked", None, f"the zip was packed anew: {error}"),))
    except UnreadableError as error:
        return EvidenceVerdict(
            (WrongProof("unreadable", None, f"the file can't be opened: {error}"),)
        )
    wrong = tuple(_whole(content, members))
    if wrong:
        return EvidenceVerdict(wrong)
    try:
        material = read_material(members)
    except MemberError as error:
        return EvidenceVerdict((WrongProof("changed", error.member, f"{error.member}: {error}"),))
    found = list(prove(material))
    mine = None if kept is None else [c for c in kept if c.table == material.table]
    if mine is not None:
        found += against(material, mine)
    found += prove_log(material.log, material.seals, trusted)
    found += prove_gateway(material, trusted)
    notes = [] if found else [*_reach(material, mine), *_irregular(material)]
    if not found:
        notes += log_notes(material.log, material.seals, trusted)
        notes += gateway_notes(material, trusted)
    if not any(one.kind == "bytes" for one in found):
        derived, more = _again(material, members)
        # what the README says of the chain follows from the chain, which is told already
        found += [one for one in derived if not found or one.kind != "readme"]
        notes += more
    other = material.software != software_fingerprint()
    word = tuple(makers_word(material, other_software=other))
    return EvidenceVerdict(tuple(found), tuple(notes), material, word)


def _whole(content: bytes, members: Mapping[str, bytes]) -> Iterator[WrongProof]:
    """Every member there and as it was sealed, and nothing else in the file."""
    for name in NEEDED:
        if name not in members:
            yield WrongProof("missing", name, f"{name} is missing")
    if not any(map(_SCHEMA.fullmatch, members)):
        yield WrongProof("missing", None, "the schema of the events (schema.v*.avsc) is missing")
    for name in members:
        if name not in (*NEEDED, *LOG_MEMBERS, *GATEWAY_MEMBERS) and not _SCHEMA.fullmatch(name):
            yield WrongProof("unexpected", name, f"{name} does not belong to evidence")
    if SUMS in members:
        yield from _summed(members)
    if content != pack(dict(members)):
        yield WrongProof(
            "repacked", None, "the zip around the members was changed: it is not as it was sealed"
        )


def _summed(members: Mapping[str, bytes]) -> Iterator[WrongProof]:
    """The members against the list of their checksums."""
    listed = _listed(members[SUMS])
    if listed is None:
        yield WrongProof("changed", SUMS, f"{SUMS} was changed: it is no list of checksums")
        return
    actual = _listed(sums(dict(members))) or {}
    for name, digest in actual.items():
        if name not in listed:
            yield WrongProof("changed", SUMS, f"{SUMS} was changed: it does not list {name}")
        elif listed[name] != digest:
            says = f"{name} was changed: it does not agree with its checksum in {SUMS}"
            yield WrongProof("changed", name, says)
    for name in listed:
        if name not in members and name not in NEEDED:
            yield WrongProof("missing", name, f"{name} is missing")


def _listed(content: bytes) -> dict[str, str] | None:
    out = {}
    for line in content.decode("utf-8", "replace").splitlines():
        found = re.fullmatch(r"([0-9a-f]{64})  (\S+)", line)
        if found is None:
            return None
        out[found[2]] = found[1]
    return out


def _reach(m: Material, kept: Sequence[Checkpoint] | None) -> Iterator[str]:
    """How far the proof reaches, where nothing is wrong."""
    left = m.open_events()
    for k in vouching(m, kept or ()):
        left = [seq for seq in left if not k.seals(seq)]
        yield f"{_sealed(k)}, which only the kept copy has"
    if left and m.unsealed is not None:
        ends = f"the chain is given as hashes up to event {m.unsealed.last}"
        if m.unsealed.newest:
            yield f"no checkpoint vouches for {spans(left)} yet: {ends}, the newest at that time"
        else:
            yield (
                f"no checkpoint vouches for {spans(left)}: the next one, at event "
                f"{m.unsealed.last}, did not seal them; {ends}"
            )
    yield from map(_sealed, m.seals)
    if m.seals:
        yield (
            "compare it with a copy kept outside the casino: --checkpoints FILE does"
            if kept is None
            else "the kept copy has the same, and nothing that contradicts it"
        )


def _sealed(c: Checkpoint) -> str:
    seal = "" if c.seal is None else c.seal.hex()
    which = f"{span(c.first or 1, c.seq)} are the ones that the checkpoint of"
    return f"{which} {c.at:%Y-%m-%d %H:%M:%S} UTC sealed: {seal}"


def _irregular(m: Material) -> Iterator[str]:
    """What a reader should know about the record itself."""
    for seq, what in m.rests_on().items():
        if not any(c.seals(seq) for c in m.checkpoints):
            yield (
                f"no checkpoint vouches for {what}, event {seq}: its bytes are here, its place is "
                "not proved"
            )
    if gaps := m.missing():
        yield f"the table's record lacks {listed_spans(gaps)}"
    second = len(m.beside) - len(m.rests_on())
    if second:
        yield (
            f"{second} more with the round's id in beside.avro: unreadable, or a second claim to "
            "a number; the answer does not count them"
        )


def _same_lines(name: str, made: bytes, members: Mapping[str, bytes]) -> bool:
    """Another version may explain otherwise; what it settles must be the same."""
    if name != "answer.json":
        return False
    ours = json.loads(made)
    try:
        theirs = parse_json(members[name], bounds.MEMBER_JSON_BYTES)
    except ContractError:
        return False
    keys = ("status", "void_clause", "lines")
    return isinstance(theirs, dict) and all(ours[key] == theirs.get(key) for key in keys)


def _again(m: Material, members: Mapping[str, bytes]) -> tuple[list[WrongProof], list[str]]:
    """Everything that follows from the given part, made again and compared."""
    try:
        made = all_members(m)
    except (EvenhandError, ValueError, KeyError, OverflowError) as error:
        return [WrongProof("bytes", "round.avro", f"the round can't be replayed: {error}")], []
    same_code = m.software == software_fingerprint()
    if not same_code and made["rulebook.json"] != members["rulebook.json"]:
        says = (
            "the rulebook here has another fingerprint than the one that was applied, so that the "
            f"answer can't be derived again; check it with Evenhand {m.version}"
        )
        return [WrongProof("rulebook", "rulebook.json", says)], []
    wrong, notes = [], []
    for name, content in made.items():
        if name == SUMS or members.get(name) == content:
            continue
        if not same_code and (name in _WORDING or _same_lines(name, content, members)):
            notes.append(f"{name} was made by another version of Evenhand and was not compared")
            continue
        kind, says = _OTHER.get(name, ("schema", f"{name} is not the schema of these bytes"))
        wrong.append(WrongProof(kind, name, says))
    extra = [name for name in members if name not in made]
    wrong += [
        WrongProof("unexpected", name, f"{name} is not needed for these bytes") for name in extra
    ]
    return wrong, notes
