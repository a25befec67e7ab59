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

import numpy as np
from backports import zstd
from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.schema import to_parsing_canonical_form

from events.log.base import Outgoing

MAGIC = b"Obj\x01"
SYNC_SIZE = 16
MAX_BLOCK_MESSAGES = 10_000
_LONGEST = 10
_GROUPS = np.arange(0, 7 * _LONGEST, 7, dtype=np.uint64)
_FULL = np.uint64(1) << _GROUPS[1:]
"""The least numbers that need two bytes, three, and so on."""

_FIELDS: list[dict[str, Any]] = [
    {"name": "offset", "type": "long", "doc": "The running number of the message in the log."},
    {"name": "key", "type": "bytes", "doc": "The table id."},
    {"name": "value", "type": "bytes", "doc": "An event in single-object encoding, or not."},
]
_ARRIVED = {
    "name": "arrived",
    "type": ["null", "long"],
    "doc": "When it arrived, in microseconds since 1970; null: when it is first read.",
}


def _message(fields: list[dict[str, Any]]) -> dict[str, Any]:
    doc = "One message of a log, as it came."
    named = {"type": "record", "name": "Message", "namespace": "evenhand.log"}
    return {**named, "doc": doc, "fields": fields}


MESSAGE = _message([*_FIELDS, _ARRIVED])
FIRST_MESSAGE = _message(_FIELDS)
"""As segments of earlier versions have it: nobody knows when a message arrived."""

_BATCH: Any = parse_schema({"type": "array", "items": MESSAGE})
_FIRST_BATCH: Any = parse_schema({"type": "array", "items": FIRST_MESSAGE})
_META: Any = parse_schema({"type": "map", "values": "bytes"})
_ARRIVES = {
    to_parsing_canonical_form(MESSAGE): True,
    to_parsing_canonical_form(FIRST_MESSAGE): False,
}


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


@dataclass(frozen=True, slots=True)
class Form:
    """How a segment is written: its codec, and whether its messages say when they arrived."""

    codec: Codec
    arrives: bool = True


def guess_form(data: bytes, count: int) -> Form:
    """The form of a block whose segment has lost its header."""
    form = Form(_guess_codec(data))
    try:
        decode_block(data, count, form)
    except BadBlockError:
        return Form(form.codec, arrives=False)
    return form


def _guess_codec(data: bytes) -> Codec:
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


def varints(numbers: Sequence[int]) -> list[bytes]:
    """varint() of each of many numbers."""
    whole = np.array(numbers, np.int64)
    zigzag = ((whole << 1) ^ (whole >> 63)).view(np.uint64)
    out: list[bytes] = [b""] * len(whole)
    # those of one length together, so that none is cut out by itself; mostly all have one length
    lengths = 1 + np.searchsorted(_FULL, zigzag, side="right")
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        digits = (zigzag[rows, None] >> _GROUPS[:length]).astype(np.uint8) & 0x7F
        digits[:, :-1] |= 0x80
        found = digits.view(f"V{length}")[:, 0].tolist()
        if len(rows) == len(out):
            return list(found)
        for row, text in zip(rows.tolist(), found, strict=True):
            out[row] = text
    return out


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


def decode_header(data: bytes) -> tuple[Form, bytes, int]:
    """Form, marker and length of the header that `data` begins with, or a BadBlockError."""
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
    if canonical not in _ARRIVES:
        raise BadBlockError("found an Avro file with another schema")
    sync = stream.read(SYNC_SIZE)
    if len(sync) < SYNC_SIZE:
        raise BadBlockError("found one that is cut short")
    return Form(codec, _ARRIVES[canonical]), sync, stream.tell()


def encode_block(first: int, messages: Sequence[Outgoing], codec: Codec, sync: bytes) -> bytes:
    """Messages as one block; the first gets offset `first`."""
    batch = [
        {"offset": offset, "key": m.key, "value": m.value, "arrived": m.arrived_us}
        for offset, m in enumerate(messages, start=first)
    ]
    out = io.BytesIO()
    schemaless_writer(out, _BATCH, batch)
    # an array is its count, its items and a zero: the items alone are a block's data
    count = varint(len(messages))
    data = codec.pack(out.getvalue()[len(count) : -1])
    return b"".join((count, varint(len(data)), data, sync))


def decode_block(data: bytes, count: int, form: Form) -> list[dict[str, Any]]:
    """The records of a block's data, or a BadBlockError."""
    try:
        stream = io.BytesIO(varint(count) + form.codec.unpack(data) + b"\0")
        records: Any = schemaless_reader(stream, _BATCH if form.arrives else _FIRST_BATCH, None)
    except Exception as error:  # noqa: BLE001 - codecs and fastavro raise what they met
        raise BadBlockError(f"it can't be read ({type(error).__name__}: {error})") from None
    if len(records) != count or stream.read(1):
        raise BadBlockError(f"it does not hold the {count} messages it names")
    first = records[0]["offset"]
    if [r["offset"] for r in records] != list(range(first, first + count)):
        raise BadBlockError("its messages are not numbered one after the other")
    return list(records)


def first_offset(data: bytes, form: Form) -> int:
    """The offset of a block's first message, without reading the whole block."""
    try:
        return read_varint(form.codec.peek(data, 10), 0)[0]
    except Exception as error:  # noqa: BLE001 - codecs and fastavro raise what they met
        raise BadBlockError(f"it can't be read ({type(error).__name__}: {error})") from None
