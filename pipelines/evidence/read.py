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
from events.seal import Entry
from pipelines.evidence.material import FORMAT, Material, Unsealed, given_members

_LINE = re.compile(r"(\d+) ([0-9a-f]{64}) ([0-9a-f]{16}|-)")
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
    "software": (str,),
    "version": (str,),
}
"""What a field holds; a list of one kind has any number, one of several has just these."""

_MAY_BE_NULL = frozenset({"unsealed", "shoe_seq", "next_round"})


class MemberError(Exception):
    """A member that does not say what it should; `member` names it."""

    def __init__(self, member: str, says: str) -> None:
        super().__init__(says)
        self.member = member


def read_material(members: Mapping[str, bytes]) -> Material:
    """The material, or a MemberError. Writing it again must give the same bytes."""
    head = _manifest(members["manifest.json"])
    following, unsealed = head["next_round"], head["unsealed"]
    try:
        material = Material(
            round=head["round"],
            table=head["table"],
            messages=_messages("round.avro", members["round.avro"]),
            beside=_messages("beside.avro", members["beside.avro"]),
            chain=_chain(members["chain.txt"]),
            checkpoints=_checkpoints(members["checkpoints.jsonl"]),
            unsealed=None if unsealed is None else Unsealed(*unsealed),
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
    if isinstance(head, dict) and head.get("format", FORMAT) != FORMAT:
        raise MemberError("manifest.json", _other_format(head["format"]))
    if not isinstance(head, dict) or set(head) != set(_MANIFEST):
        raise MemberError("manifest.json", "expected the fields of a manifest, found others")
    for name, value in head.items():
        if not _holds(value, _MANIFEST[name]) and not (value is None and name in _MAY_BE_NULL):
            raise MemberError("manifest.json", f"{name} holds something else than it should")
    return head


def _other_format(found: object) -> str:
    return f"expected format {FORMAT}, found {found}: check it with the Evenhand that made it"


def _holds(value: Any, kinds: tuple[type, ...]) -> bool:
    if kinds[0] is not list:
        return type(value) is kinds[0]
    if type(value) is not list:
        return False
    inner = kinds[1:] if len(kinds) > 2 else kinds[1:] * len(value)
    return [type(one) for one in value] == list(inner)


def _messages(name: str, content: bytes) -> tuple[StoredMessage, ...]:
    try:
        records: Any = list(fastavro.reader(io.BytesIO(content)))
        return tuple(StoredMessage(**record) for record in records)
    except Exception as error:
        raise MemberError(name, f"it can't be read as Avro: {error}") from error


def _chain(content: bytes) -> tuple[Entry, ...]:
    out = []
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        found = _LINE.fullmatch(line)
        if found is None:
            raise MemberError("chain.txt", f"line {number} is not an event of a chain")
        out.append(Entry(int(found[1]), bytes.fromhex(found[2]), found[3]))
    return tuple(out)


def _checkpoints(content: bytes) -> tuple[Any, ...]:
    try:
        return tuple(checkpoint_from_line(line) for line in content.decode().splitlines())
    except (EvenhandError, UnicodeDecodeError) as error:
        raise MemberError("checkpoints.jsonl", str(error)) from None
