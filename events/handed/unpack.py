"""A compressed block unpacked up to a bound: what would grow past it is refused, not unpacked."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

from backports import zstd

from events.handed import bounds

_XZ_MEMORY = 64 * bounds.MIB
_ZSTD_WINDOW_LOG = 25  # 32 MiB, as large as a block may be


class TooLargeError(ValueError):
    """A block that unpacks to more than a block may hold."""


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _zstandard() -> _Unpacker:
    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
    return zstd.ZstdDecompressor(options=options)


_UNPACKERS: dict[str, Callable[[], _Unpacker]] = {
    "deflate": lambda: zlib.decompressobj(-15),
    "zstandard": _zstandard,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY),
}

CODECS = ("null", *_UNPACKERS)


def unpack_bounded(data: bytes, codec: str, most: int = bounds.BLOCK_BYTES) -> bytes:
    """The bytes of a block, or a TooLargeError; another error where it is no such block."""
    if codec == "null":
        return data
    unpacker = _UNPACKERS[codec]()
    out = unpacker.decompress(data, most + 1)
    if len(out) > most:
        raise TooLargeError
    if not unpacker.eof:
        raise ValueError("it ends too early")
    if unpacker.unused_data and codec != "deflate":  # where common writers leave a checksum's rest
        raise ValueError("there are bytes left over after it")
    return out
