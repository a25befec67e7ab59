"""Avro object containers that somebody hands in, decoded by our own schemas.

The header's schema only says, by its fingerprint, which of ours was used; it is never followed.
Every length in the file is held against a bound before anything is read or unpacked.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, NoReturn

from fastavro import parse_schema, schemaless_reader

from events import codec
from events.archive.evidence import FIRST_STORED, STORED
from events.errors import ContractError, InputError
from events.handed import bounds
from events.handed.canonical import NoSchemaError, sha256_fingerprint
from events.handed.text import parse_json, size
from events.handed.unpack import CODECS, TooLargeError, unpack_bounded
from events.log.container import FIRST_MESSAGE, MAGIC, MESSAGE, SYNC_SIZE

Record = dict[str, Any]
_Decode = Callable[[io.BytesIO], Any]


@dataclass(frozen=True, slots=True)
class KnownSchema:
    """A schema of ours: what its records are called in a sentence, and how one is decoded."""

    name: str
    decode: _Decode


def _events(schema: codec.Schema) -> KnownSchema:
    def decode(stream: io.BytesIO) -> Any:
        return schemaless_reader(
            stream, schema.parsed, codec.current_schema().parsed, return_record_name=True
        )

    return KnownSchema(f"events of schema version {schema.version}", decode)


def _plain(name: str, raw: Any) -> KnownSchema:
    parsed: Any = parse_schema(raw)
    return KnownSchema(name, lambda stream: schemaless_reader(stream, parsed, None))


@cache
def known_schemas() -> Mapping[str, KnownSchema]:
    """Every schema that we read, by fingerprint: each version of the events, the logs' messages."""
    own = {
        sha256_fingerprint(json.loads(schema.source)): _events(schema)
        for schema in codec.schemas().values()
    }
    kept = {"messages of a log": (FIRST_MESSAGE, MESSAGE)}
    kept |= {"messages of an archive": (FIRST_STORED, STORED)}
    return own | {
        sha256_fingerprint(raw): _plain(name, raw) for name, some in kept.items() for raw in some
    }


class _Source:
    """An open file that knows how far it was read, and refuses to end early."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name, self.at = file, name, 0

    def refuse(self, says: str, at: int | None = None) -> NoReturn:
        where = self.at if at is None else at
        raise InputError(f"{self._name}, byte {where}: not a whole Avro file: {says}") from None

    def read(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) < count:
            self.refuse(f"it ends {count - len(data)} bytes too early")
        self.at += count
        return data

    def more(self) -> bytes:
        """The next byte, or nothing at the end."""
        found = self._file.read(1)
        self.at += len(found)
        return found

    def long(self, first: bytes | None = None) -> int:
        number = shift = 0
        byte = (self.read(1) if first is None else first)[0]
        while True:
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (number >> 1) ^ -(number & 1)
            shift += 7
            if shift > 63:
                self.refuse("a number has more than ten bytes")
            byte = self.read(1)[0]

    def data(self, most: int, what: str) -> bytes:
        """Bytes with their length before them."""
        length = self.long()
        if not 0 <= length <= most:
            self.refuse(f"{what} of {length:,} bytes, expected at most {size(most)}")
        return self.read(length)


def read_records(file: BinaryIO, name: str) -> Iterator[Record]:
    """The records of a container, or an InputError that names the byte.

    `file` stands at its beginning. The records are of one of known_schemas().
    """
    source = _Source(file, name)
    meta = _header(source)
    schema, packed = _schema(meta, name), _codec(meta, name)
    sync = source.read(SYNC_SIZE)
    events = unpacked = 0
    while first := source.more():
        start = source.at - 1
        count = source.long(first)
        block = _block(source, packed, start)
        events, unpacked = events + count, unpacked + len(block)
        if not 0 < count <= len(block):
            source.refuse(f"a block of {len(block):,} bytes names {count:,} records", start)
        if events > bounds.EVENTS:
            says = f"expected at most {bounds.EVENTS:,} events, found more"
            raise InputError(f"{name}: {says}; hand it in in several files")
        if unpacked > bounds.UNPACKED_BYTES:
            says = f"its blocks unpack to more than {size(bounds.UNPACKED_BYTES)}"
            raise InputError(f"{name}: {says}; hand it in in several files")
        if source.read(SYNC_SIZE) != sync:
            source.refuse("the block has no marker at its end", start)
        yield from _decoded(source, schema, block, count, start)


def _header(source: _Source) -> dict[str, bytes]:
    if source.read(len(MAGIC)) != MAGIC:
        source.refuse("it does not begin as one", 0)
    meta: dict[str, bytes] = {}
    left = bounds.HEADER_ENTRIES
    while count := source.long():
        if count < 0:
            count = -count
            source.long()  # the length of the entries in bytes, which nobody needs
        if count > left:
            source.refuse(f"expected at most {bounds.HEADER_ENTRIES} entries in its header")
        left -= count
        for _ in range(count):
            key = source.data(bounds.KIB, "a name in its header").decode("utf-8", "replace")
            meta[key] = source.data(bounds.HEADER_BYTES - source.at, "a header")
    return meta


def _schema(meta: Mapping[str, bytes], name: str) -> KnownSchema:
    ours = ", ".join(sorted({known.name for known in known_schemas().values()}))
    try:
        raw = parse_json(meta.get("avro.schema", b"").decode("utf-8"), bounds.HEADER_BYTES)
        fingerprint = sha256_fingerprint(raw)
    except (ContractError, NoSchemaError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: the schema in its header can't be read: {error}") from None
    found = known_schemas().get(fingerprint)
    if found is None:
        says = f"its schema, fingerprint {fingerprint[:16]}, is none of ours"
        raise InputError(f"{name}: {says}: expected {ours}")
    return found


def _codec(meta: Mapping[str, bytes], name: str) -> str:
    found = meta.get("avro.codec", b"null").decode("utf-8", "replace")
    if found not in CODECS:
        says = f"its blocks are packed by {found[:20]!a}, expected one of {', '.join(CODECS)}"
        raise InputError(f"{name}: {says}")
    return found


def _block(source: _Source, packed: str, start: int) -> bytes:
    data = source.data(bounds.BLOCK_BYTES, "a block")
    try:
        return unpack_bounded(data, packed)
    except TooLargeError:
        source.refuse(f"a block unpacks to more than {size(bounds.BLOCK_BYTES)}", start)
    except Exception as error:  # noqa: BLE001 - each codec raises an error of its own
        source.refuse(f"the block can't be unpacked: {error}", start)


def _decoded(
    source: _Source, schema: KnownSchema, block: bytes, count: int, start: int
) -> Iterator[Record]:
    stream = io.BytesIO(block)
    for number in range(1, count + 1):
        try:
            record = schema.decode(stream)
        except EOFError:
            source.refuse(f"record {number} goes on past the end of its block", start)
        except Exception as error:  # noqa: BLE001 - fastavro raises whatever its C code met
            source.refuse(f"record {number} of its block can't be read: {_said(error)}", start)
        yield record
    if left := len(block) - stream.tell():
        source.refuse(f"{left} bytes are left over after the block's {count} records", start)


def _said(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__
