"""The zip file: always the same bytes for the same members, so that any change to it shows."""

from __future__ import annotations

import io
import zipfile

_EPOCH = (1980, 1, 1, 0, 0, 0)
LARGEST = 1 << 30


class UnreadableError(Exception):
    """A file that can't be read as a zip of evidence; the text says what is wrong."""


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
    """The members of a zip in their order."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            infos = file.infolist()
            if sum(info.file_size for info in infos) > LARGEST:
                raise UnreadableError("it claims to hold more than a gigabyte")
            names = [info.filename for info in infos]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise UnreadableError(f"it holds {twice} twice")
            return {info.filename: _read(file, info) for info in infos}
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError) as error:
        raise UnreadableError(f"not a whole zip file: {error}") from None


def _read(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        return file.read(info)
    except Exception as error:
        raise UnreadableError(f"{info.filename} can't be read: {error}") from error
