"""The given members of a piece of evidence, read back into the material they were written from."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from checks.context import NextRound
from checks.plain import finding_of, word_of
from events.archive.evidence import StoredMessage, decode_block, encode_header
from events.checkpoints import Checkpoint, checkpoint_from_line
from events.contract import show
from events.errors import ContractError, EvenhandError
from events.handed import bounds
from events.handed.text import parse_json
from events.log.container import CODECS, BadBlockError, read_varint
from events.seal import Entry
from pipelines.evidence.gateway import EVENTS, KEYS, GatewayWord, gateway_word_of
from pipelines.evidence.log_proof import NOTE, PROOFS, LogProof, proof_of
from pipelines.evidence.material import (
    EVIDENCE_SYNC,
    FORMATS,
    Material,
    Unsealed,
    given_members,
)
from replay.answer import Finding

_LINE = re.compile(r"([1-9][0-9]{0,18}) ([0-9a-f]{64}) ([0-9a-f]{16}|-)")
_MANIFEST: dict[str, tuple[type, ...]] = {
    "format": (int,),
    "round": (str,),
    "table": (str,),
    "unsealed": (list, int, int, bool),
    "shoe_seq": (int,),
    "next_round": (list, str, int),
    "turned": (list, str),
    "zone": (str,),
    "made_at": (str,),
    "also_known": (list, dict),
    "meter": (dict,),
    "software": (str,),
    "version": (str,),
}
"""What a field holds; a list of one kind has any number, one of several has just these."""

_MAY_BE_NULL = frozenset({"unsealed", "shoe_seq", "next_round", "meter"})


class MemberError(Exception):
    """A member that does not say what it should; `member` names it."""

    def __init__(self, member: str, says: str) -> None:
        super().__init__(says)
        self.member = member


def read_material(members: Mapping[str, bytes]) -> Material:
    """The material, or a MemberError. Writing it again must give the same bytes."""
    head = _manifest(members["manifest.json"])
    following, unsealed = head["next_round"], head["unsealed"]
    chain = _chain(members["chain.txt"])
    try:
        material = Material(
            round=head["round"],
            table=head["table"],
            messages=_messages("round.avro", members["round.avro"]),
            beside=_messages("beside.avro", members["beside.avro"]),
            chain=chain,
            checkpoints=_checkpoints(members["checkpoints.jsonl"], chain),
            unsealed=None if unsealed is None else Unsealed(*unsealed),
            shoe_seq=head["shoe_seq"],
            next_round=None if following is None else NextRound(*following),
            turned=frozenset(head["turned"]),
            zone=head["zone"],
            made_at=head["made_at"],
            also_known=tuple(_about(head, one) for one in head["also_known"]),
            meter=None if head["meter"] is None else word_of(head["meter"]),
            software=head["software"],
            version=head["version"],
            log=_log(members),
            gateway=_gateway(members),
        )
        again = given_members(material)
    except (TypeError, LookupError, AttributeError, ValueError) as error:
        raise MemberError("manifest.json", f"it is not one of ours: {error}") from None
    for name, content in again.items():
        if members[name] != content:
            raise MemberError(name, "it is not written as evidence is written")
    return material


def _manifest(content: bytes) -> dict[str, Any]:
    try:
        head = parse_json(content, bounds.MEMBER_JSON_BYTES)
    except ContractError as error:
        raise MemberError("manifest.json", str(error)) from None
    if isinstance(head, dict) and head.get("format", FORMATS[0]) not in FORMATS:
        raise MemberError("manifest.json", _other_format(head["format"]))
    if not isinstance(head, dict) or set(head) != set(_MANIFEST):
        raise MemberError("manifest.json", "expected the fields of a manifest, found others")
    for name, value in head.items():
        if not _holds(value, _MANIFEST[name]) and not (value is None and name in _MAY_BE_NULL):
            raise MemberError("manifest.json", f"{name} holds something else than it should")
    _refuse_zone(head["zone"])
    return head


def _refuse_zone(name: str) -> None:
    """A name of a zone is a path in disguise: of anything but a zone the system says what it is."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        says = f"zone: expected a time zone like Asia/Singapore, found {show(name)}"
        raise MemberError("manifest.json", says) from None


def _log(members: Mapping[str, bytes]) -> LogProof | None:
    """The way to a signed state of the house's log, where the file has one."""
    if NOTE not in members and PROOFS not in members:
        return None
    try:
        plain = parse_json(members[PROOFS], bounds.MEMBER_JSON_BYTES)
        return proof_of(members[NOTE].decode("utf-8"), plain)
    except (ContractError, ValueError, KeyError, TypeError) as error:
        raise MemberError(PROOFS, f"it is no way to a state of a log: {error}") from None


def _gateway(members: Mapping[str, bytes]) -> GatewayWord | None:
    """The gateway's signatures and keys, where the file has them."""
    if EVENTS not in members and KEYS not in members:
        return None
    try:
        plain = parse_json(members[KEYS], bounds.MEMBER_JSON_BYTES)
        return gateway_word_of(_messages(EVENTS, members[EVENTS]), plain)
    except (ContractError, ValueError, KeyError, TypeError) as error:
        raise MemberError(KEYS, f"it has no keys of a gateway: {error}") from None


def _about(head: Mapping[str, Any], plain: Mapping[str, Any]) -> Finding:
    finding = finding_of(plain)
    if finding.round != head["round"]:
        raise ValueError(f"a finding is about round {finding.round}")
    return finding


def _other_format(found: object) -> str:
    expected = f"expected format {FORMATS[0]} to {FORMATS[-1]}"
    return f"{expected}, found {show(found)}: check it with the Evenhand that made it"


def _holds(value: Any, kinds: tuple[type, ...]) -> bool:
    if kinds[0] is not list:
        return type(value) is kinds[0]
    if type(value) is not list:
        return False
    inner = kinds[1:] if len(kinds) > 2 else kinds[1:] * len(value)
    return [type(one) for one in value] == list(inner)


def _messages(name: str, content: bytes) -> tuple[StoredMessage, ...]:
    """Only the one form that evidence is written in: its header, then one block at most."""
    header = encode_header("null", EVIDENCE_SYNC)
    if not content.startswith(header):
        raise MemberError(name, "it does not begin as messages in evidence do")
    if len(content) == len(header):
        return ()
    try:
        count, at = read_varint(content, len(header))
        size, at = read_varint(content, at)
        if not 0 < count <= bounds.ROUND_MESSAGES:
            says = f"expected at most {bounds.ROUND_MESSAGES:,} messages, found {count:,}"
            raise MemberError(name, says)
        return tuple(decode_block(content[at : at + size], count, CODECS["null"]))
    except (BadBlockError, IndexError) as error:
        raise MemberError(name, f"it can't be read as Avro: {error or 'it is cut'}") from None


def _chain(content: bytes) -> tuple[Entry, ...]:
    lines = content.decode("utf-8", "replace").splitlines()
    if len(lines) > bounds.CHAIN_LINES:
        says = f"expected at most {bounds.CHAIN_LINES:,} lines, found {len(lines):,}"
        raise MemberError("chain.txt", says)
    out = []
    for number, line in enumerate(lines, start=1):
        found = _LINE.fullmatch(line)
        if found is None:
            raise MemberError("chain.txt", f"line {number} is not an event of a chain")
        out.append(Entry(int(found[1]), bytes.fromhex(found[2]), found[3]))
    return tuple(out)


def _checkpoints(content: bytes, chain: tuple[Entry, ...]) -> tuple[Checkpoint, ...]:
    lines = content.decode("utf-8", "replace").splitlines()
    if len(lines) > bounds.EVIDENCE_CHECKPOINTS:
        says = f"expected at most {bounds.EVIDENCE_CHECKPOINTS:,}, found {len(lines):,}"
        raise MemberError("checkpoints.jsonl", says)
    try:
        found = tuple(checkpoint_from_line(line) for line in lines)
    except EvenhandError as error:
        raise MemberError("checkpoints.jsonl", str(error)) from None
    numbers = sorted(entry.seq for entry in chain)
    under = sum(bisect_right(numbers, c.seq) - bisect_left(numbers, c.first or 0) for c in found)
    if under > bounds.SEALED_LINES:
        raise MemberError("checkpoints.jsonl", "they seal the same events over and over")
    return found
