"""Avro's object container format, written by hand: a header, then blocks that end in a marker.

By hand, because a log must know exactly where a block ends and when it is on the disk. Any Avro
tool reads the files. One marker serves all segments of a log, so that blocks can still be found
where a segment's header is damaged.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from backports import zstd
from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.schema import to_parsing_canonical_form

from events.log.base import Outgoing

MAGIC = b"Obj\x01"
SYNC_SIZE = 16
MAX_BLOCK_MESSAGES = 10_000

MESSAGE = {
    "type": "record",
    "name": "Message",
    "namespace": "evenhand.log",
    "doc": "One message of a log, as it came.",
    "fields": [
        {"name": "offset", "type": "long", "doc": "The running number of the message in the log."},
        {"name": "key", "type": "bytes", "doc": "The table id."},
        {"name": "value", "type": "bytes", "doc": "An event in single-object encoding, or not."},
    ],
}
_BATCH: Any = parse_schema({"type": "array", "items": MESSAGE})
_META: Any = parse_schema({"type": "map", "values": "bytes"})
_CANONICAL: str = to_parsing_canonical_form(MESSAGE)


class BadBlockError(ValueError):
    """Bytes that are no header or no block of ours; the text says what was found instead."""


@dataclass(frozen=True, slots=True)
class Codec:
    """A way to compress a block. `peek` gives the first bytes of one without reading it all."""

    name: str
    pack: Callable[[bytes], bytes]
    unpack: Callable[[bytes], bytes]
    peek: Callable[[bytes, int], bytes]


def _zstd_pack(data: bytes) -> bytes:
    # with a checksum, so that a changed bit is damage and never another message
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: 3,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(data, options=options)


def _deflate_pack(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


CODECS = {
    codec.name: codec
    for codec in (
        Codec("null", bytes, bytes, lambda data, size: data[:size]),
        Codec(
            "deflate",
            _deflate_pack,
            lambda data: zlib.decompress(data, -15),
            lambda data, size: zlib.decompressobj(-15).decompress(data, size),
        ),
        Codec(
            "zstandard",
            _zstd_pack,
            zstd.decompress,
            lambda data, size: zstd.ZstdDecompressor().decompress(data, max_length=size),
        ),
    )
}


def guess_codec(data: bytes) -> Codec:
    """The codec of a block whose segment has lost its header."""
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return CODECS["zstandard"]
    try:
        zlib.decompress(data, -15)
    except zlib.error:
        return CODECS["null"]
    return CODECS["deflate"]


def varint(number: int) -> bytes:
    """A number as Avro writes a long: zigzag, seven bits a byte, low ones first."""
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at a byte, and the byte after it; an IndexError where it is cut."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), at
        shift += 7
        if shift > 63:
            raise BadBlockError("a number of more than ten bytes")


def encode_header(codec: str, sync: bytes) -> bytes:
    """The first bytes of a segment."""
    out = io.BytesIO()
    meta = {"avro.schema": json.dumps(MESSAGE).encode(), "avro.codec": codec.encode()}
    schemaless_writer(out, _META, meta)
    return MAGIC + out.getvalue() + sync


def decode_header(data: bytes) -> tuple[Codec, bytes, int]:
    """Codec, marker and length of the header that `data` begins with, or a BadBlockError."""
    if not data.startswith(MAGIC):
        raise BadBlockError(f"found {data[:4]!r}" if data else "found an empty file")
    stream = io.BytesIO(data)
    stream.seek(len(MAGIC))
    try:
        meta: Any = schemaless_reader(stream, _META, None)
        codec = CODECS[meta["avro.codec"].decode()]
        canonical = to_parsing_canonical_form(json.loads(meta["avro.schema"]))
    except Exception as error:
        raise BadBlockError("found one that can't be read") from error
    if canonical != _CANONICAL:
        raise BadBlockError("found an Avro file with another schema")
    sync = stream.read(SYNC_SIZE)
    if len(sync) < SYNC_SIZE:
        raise BadBlockError("found one that is cut short")
    return codec, sync, stream.tell()


def encode_block(first: int, messages: Sequence[Outgoing], codec: Codec, sync: bytes) -> bytes:
    """Messages as one block; the first gets offset `first`."""
    batch = [
        {"offset": offset, "key": m.key, "value": m.value}
        for offset, m in enumerate(messages, start=first)
    ]
    out = io.BytesIO()
    schemaless_writer(out, _BATCH, batch)
    # an array is its count, its items and a zero: the items alone are a block's data
    count = varint(len(messages))
    data = codec.pack(out.getvalue()[len(count) : -1])
    return b"".join((count, varint(len(data)), data, sync))


def decode_block(data: bytes, count: int, codec: Codec) -> list[dict[str, Any]]:
    """The records of a block's data, or a BadBlockError."""
    try:
        stream = io.BytesIO(varint(count) + codec.unpack(data) + b"\0")
        records: Any = schemaless_reader(stream, _BATCH, None)
    except Exception as error:  # noqa: BLE001 - codecs and fastavro raise what they met
        raise BadBlockError(f"it can't be read ({type(error).__name__}: {error})") from None
    if len(records) != count or stream.read(1):
        raise BadBlockError(f"it does not hold the {count} messages it names")
    first = records[0]["offset"]
    if any(r["offset"] != n for n, r in enumerate(records, start=first)):
        raise BadBlockError("its messages are not numbered one after the other")
    return list(records)


def first_offset(data: bytes, codec: Codec) -> int:
    """The offset of a block's first message, without reading the whole block."""
    try:
        return read_varint(codec.peek(data, 10), 0)[0]
    except Exception as error:  # noqa: BLE001 - codecs and fastavro raise what they met
        raise BadBlockError(f"it can't be read ({type(error).__name__}: {error})") from None
