"""The zip file: always the same bytes for the same members, so that any change to it shows."""

from __future__ import annotations

import io
import struct
import zipfile

from events.contract import show
from events.handed import bounds

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MEMBER, _DIRECTORY = b"PK\x03\x04", b"PK\x01\x02"
_HEADER = struct.Struct("<4sHHHHHIIIHH")


class UnreadableError(Exception):
    """A file that can't be read as a zip of evidence; the text says what is wrong."""


class RepackedError(UnreadableError):
    """A zip that was packed otherwise than evidence is."""


def pack(members: dict[str, bytes]) -> bytes:
    """Members as a zip, stored and not compressed: a compressor may change between versions."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = 3
            info.external_attr = 0o644 << 16
            file.writestr(info, content)
    return out.getvalue()


def unpack(content: bytes) -> dict[str, bytes]:
    """The members of a zip in their order, or an UnreadableError.

    Read here and not by a zip library: evidence has one form, and of any other a library would
    believe what it says about sizes and numbers before anybody could look.
    """
    members: dict[str, bytes] = {}
    at = 0
    while content.startswith(_MEMBER, at):
        if len(members) == bounds.EVIDENCE_MEMBERS:
            raise UnreadableError(f"it holds more than {bounds.EVIDENCE_MEMBERS} members")
        name, start, end = _member(content, at)
        if name in members:
            raise UnreadableError(f"it holds {name} twice")
        members[name] = content[start:end]
        at = end
    if not content.startswith(_DIRECTORY, at):
        raise UnreadableError(f"not a whole zip file: no member and no end at byte {at}")
    return members


def _member(content: bytes, at: int) -> tuple[str, int, int]:
    """The name of the member whose header is at a byte, where its bytes begin and where they end.

    That everything else in the header is as it must be shows when the members are packed again.
    """
    try:
        _, _, flags, method, _, _, _, packed, plain, named, extra = _HEADER.unpack_from(content, at)
        start = at + _HEADER.size + named + extra
        name = content[at + _HEADER.size : at + _HEADER.size + named].decode("ascii")
    except (struct.error, UnicodeDecodeError):
        raise UnreadableError(f"not a whole zip file: no member at byte {at}") from None
    if method != zipfile.ZIP_STORED or packed != plain or flags:
        raise RepackedError(f"{show(name)} is compressed in it, and evidence stores its members")
    if start + plain > len(content):
        raise UnreadableError(f"not a whole zip file: {show(name)} goes on past its end")
    return name, start, start + plain
