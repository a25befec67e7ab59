"""Files made to hurt whoever opens them."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import zipfile
import zlib
from typing import Any

from backports import zstd

from events.codec import current_schema
from events.log.container import MAGIC, varint

SYNC = b"0123456789abcdef"
EVENTS = current_schema().source


def container(schema: str, codec: str, *blocks: tuple[int, bytes]) -> bytes:
    """An Avro file with any schema, each block given as its count and its packed bytes."""
    entries = {"avro.schema": schema.encode(), "avro.codec": codec.encode()}
    out = [MAGIC, varint(len(entries))]
    for name, value in entries.items():
        out += [varint(len(name)), name.encode(), varint(len(value)), value]
    out += [b"\0", SYNC]
    for count, data in blocks:
        out += [varint(count), varint(len(data)), data, SYNC]
    return b"".join(out)


def recursive_schema() -> bytes:
    """A record that holds itself: a reader that follows it never comes back."""
    fields = [{"name": "inner", "type": "Endless"}]
    schema = json.dumps({"type": "record", "name": "Endless", "fields": fields})
    return container(schema, "null", (1, b"\0"))


def recursive_union() -> bytes:
    fields = [{"name": "inner", "type": ["null", "Deep"]}]
    schema = json.dumps({"type": "record", "name": "Deep", "fields": fields})
    return container(schema, "null", (1, b"\x02" * 5_000_000))


def nulls() -> bytes:
    """8,589,934,592 nulls in a hundred bytes: nothing each in the file, eight bytes in memory."""
    schema = '{"type": "array", "items": "null"}'
    return container(schema, "null", (1, varint(2**33) + b"\0"))


def long_string() -> bytes:
    """An event whose table's name is said to have an exabyte."""
    return container(EVENTS, "null", (1, varint(2**60) + b"x"))


def many_limits() -> bytes:
    """A map of 2^62 entries, of which the first is there."""
    return container(EVENTS, "null", (1, varint(2**62) * 20))


def _raw_deflate(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    chunk = bytes(1 << 20)
    return b"".join([packer.compress(chunk) for _ in range(size >> 20)]) + packer.flush()


def deflate_bomb(size: int = 1 << 29) -> bytes:
    """Half a gigabyte of zeros in half a megabyte."""
    return container(EVENTS, "deflate", (1, _raw_deflate(size)))


def zstd_bomb(size: int = 1 << 33) -> bytes:
    """Eight gigabytes, by blocks of the format that say "this byte, so many times"."""
    block = 128 << 10
    last = (block << 3) | 0b010 | 1
    run = ((block << 3) | 0b010).to_bytes(3, "little") + b"\0"
    frame = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38"  # no size, no checksum, window 128 KiB
    body = run * (size // block - 1) + last.to_bytes(3, "little") + b"\0"
    return container(EVENTS, "zstandard", (1, frame + body))


def zstd_window() -> bytes:
    """A frame that asks for a window of two gigabytes before anything is unpacked."""
    block = ((1 << 3) | 0b011).to_bytes(3, "little") + b"\0"
    return container(EVENTS, "zstandard", (1, b"\x28\xb5\x2f\xfd\x00\xa8" + block))


def bzip2_bomb() -> bytes:
    return container(EVENTS, "bzip2", (1, bz2.compress(bytes(256 << 20))))


def xz_bomb() -> bytes:
    return container(EVENTS, "xz", (1, lzma.compress(bytes(256 << 20), preset=0)))


def many_blocks(data: bytes, records: int, copies: int) -> bytes:
    """The same block again and again, so that a small file holds more events than any house has."""
    whole = container(EVENTS, "zstandard", (records, zstd.compress(data)))
    block = whole[len(container(EVENTS, "zstandard")) :]
    return whole + block * (copies - 1)


def deep_schema() -> bytes:
    schema = '{"type":"array","items":' * 5000 + '"null"' + "}" * 5000
    return container(schema, "null", (1, b"\0"))


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out.getvalue()


def many_members() -> bytes:
    return zip_of({f"m{n}": b"" for n in range(60_000)})


def zip_bomb(member: str) -> bytes:
    return zip_of({member: bytes(900 << 20)}, zipfile.ZIP_DEFLATED)


def deep_json(levels: int = 100_000) -> bytes:
    return b"[" * levels + b"]" * levels


def wide_json(count: int = 170_000) -> bytes:
    """An object of many fields of which the last stands twice."""
    fields = ",".join(f'"{n}":1' for n in [*range(count // 2), count // 2 - 1])
    return b"{" + fields.encode() + b"}"


def to_json(value: Any) -> bytes:
    return json.dumps(value).encode()
