"""The given members of a piece of evidence, read back into the material they were written from."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from typing import Any

import fastavro

from events.archive.evidence import StoredMessage
from events.checkpoints import checkpoint_from_line
from events.errors import EvenhandError
from pipelines.evidence.material import (
    BODY,
    FORMAT,
    HASH,
    ROUND,
    ChainLine,
    Material,
    given_members,
)

_LINE = re.compile(rf"(\d+) ([0-9a-f]{{64}}) ({ROUND}|{BODY}|{HASH})")
_MANIFEST = frozenset(
    "format round table events begins ends sealed shoe_seq next_round turned zone made_at "
    "also_known software version".split()
)


class MemberError(Exception):
    """A member that does not say what it should; `member` names it."""

    def __init__(self, member: str, says: str) -> None:
        super().__init__(says)
        self.member = member


def read_material(members: Mapping[str, bytes]) -> Material:
    """The material, or a MemberError. Writing it again must give the same bytes."""
    head = _manifest(members["manifest.json"])
    following = head["next_round"]
    try:
        material = Material(
            round=head["round"],
            table=head["table"],
            messages=_messages("round.avro", members["round.avro"]),
            beside=_messages("beside.avro", members["beside.avro"]),
            chain=_chain(members["chain.txt"]),
            checkpoints=_checkpoints(members["checkpoints.jsonl"]),
            begins=head["begins"],
            ends=head["ends"],
            sealed=head["sealed"],
            shoe_seq=head["shoe_seq"],
            next_round=None if following is None else (following[0], following[1]),
            turned=frozenset(head["turned"]),
            zone=head["zone"],
            made_at=head["made_at"],
            also_known=tuple(head["also_known"]),
            software=head["software"],
            version=head["version"],
        )
        again = given_members(material)
    except (TypeError, IndexError, AttributeError, ValueError) as error:
        raise MemberError("manifest.json", f"it is not one of ours: {error}") from None
    for name, content in again.items():
        if members[name] != content:
            raise MemberError(name, "it is not written as evidence is written")
    return material


def _manifest(content: bytes) -> dict[str, Any]:
    try:
        head = json.loads(content)
    except (ValueError, UnicodeDecodeError) as error:
        raise MemberError("manifest.json", f"expected JSON: {error}") from None
    if not isinstance(head, dict) or set(head) != _MANIFEST:
        raise MemberError("manifest.json", "expected the fields of a manifest, found others")
    if head["format"] != FORMAT:
        raise MemberError("manifest.json", f"expected format {FORMAT}, found {head['format']}")
    return head


def _messages(name: str, content: bytes) -> tuple[StoredMessage, ...]:
    try:
        records: Any = list(fastavro.reader(io.BytesIO(content)))
        return tuple(StoredMessage(**record) for record in records)
    except Exception as error:
        raise MemberError(name, f"it can't be read as Avro: {error}") from error


def _chain(content: bytes) -> tuple[ChainLine, ...]:
    out = []
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        found = _LINE.fullmatch(line)
        if found is None:
            raise MemberError("chain.txt", f"line {number} is not an event of a chain")
        out.append(ChainLine(int(found[1]), bytes.fromhex(found[2]), found[3]))
    return tuple(out)


def _checkpoints(content: bytes) -> tuple[Any, ...]:
    try:
        return tuple(checkpoint_from_line(line) for line in content.decode().splitlines())
    except (EvenhandError, UnicodeDecodeError) as error:
        raise MemberError("checkpoints.jsonl", str(error)) from None
