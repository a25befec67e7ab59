"""The evidence: messages as they came, in Avro object containers that only ever grow.

A file's blocks count as far as the journal says they do. Any Avro tool reads the files. Those of
earlier versions do not say when a message arrived; they are read as they are.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.schema import to_parsing_canonical_form

from events.archive.errors import DamagedError
from events.log.container import (
    CODECS,
    MAGIC,
    SYNC_SIZE,
    BadBlockError,
    Codec,
    read_varint,
    varint,
    varints,
)

_FIELDS: list[dict[str, Any]] = [
    {"name": "source", "type": "string", "doc": "The identity of the log."},
    {"name": "partition", "type": "int", "doc": "The log's partition."},
    {"name": "offset", "type": "long", "doc": "The message's number in the partition."},
    {"name": "key", "type": ["null", "bytes"], "doc": "The message's key: the table id."},
    {"name": "value", "type": "bytes", "doc": "The event in Avro single-object encoding."},
]
_ARRIVAL: list[dict[str, Any]] = [
    {
        "name": "arrived",
        "type": ["null", "long"],
        "doc": "When it arrived, in microseconds since 1970; null: its own time counts.",
    },
    {
        "name": "wrong_clock",
        "type": "boolean",
        "doc": "Its own time lay out of bounds when it arrived: it counts at its arrival.",
    },
]


def _stored(fields: list[dict[str, Any]]) -> dict[str, Any]:
    doc = "One message as it came, and where it came from."
    named = {"type": "record", "name": "StoredMessage", "namespace": "evenhand.archive"}
    return {**named, "doc": doc, "fields": fields}


STORED = _stored([*_FIELDS, *_ARRIVAL])
FIRST_STORED = _stored(_FIELDS)
"""As files of the first format have it."""

_BLOCK: Any = parse_schema({"type": "array", "items": STORED})
_FIRST_BLOCK: Any = parse_schema({"type": "array", "items": FIRST_STORED})
_META: Any = parse_schema({"type": "map", "values": "bytes"})
_SCHEMA_TEXT: bytes = to_parsing_canonical_form(STORED).encode()
_ARRIVES = {_SCHEMA_TEXT: True, to_parsing_canonical_form(FIRST_STORED).encode(): False}
_HEADER_ROOM = 4096
_FRAME_ROOM = 20


class StoredMessage(NamedTuple):
    """One message of the evidence. `arrived` in microseconds since 1970, where it is known.

    `wrong_clock`: the event's own time was none when it arrived, so that its arrival counts.
    """

    source: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    arrived: int | None = None
    wrong_clock: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceBlock:
    """A block of the evidence: where it lies, and its messages."""

    start: int
    end: int
    messages: list[StoredMessage]


def encode_header(codec: str, sync: bytes) -> bytes:
    """The first bytes of an evidence file."""
    out = io.BytesIO()
    schemaless_writer(out, _META, {"avro.schema": _SCHEMA_TEXT, "avro.codec": codec.encode()})
    return MAGIC + out.getvalue() + sync


def encode_block(messages: Sequence[StoredMessage], codec: Codec, sync: bytes) -> bytes:
    """Messages as one block of the container."""
    data = codec.pack(b"".join(_encoded(messages)))
    return b"".join((varint(len(messages)), varint(len(data)), data, sync))


def _encoded(messages: Sequence[StoredMessage]) -> Iterator[bytes]:
    """The messages as STORED has them, written out by hand: fastavro wants a dict of each, and
    takes three times as long. A test reads them back by it."""
    sources, partitions, offsets, keys, values, arrived, wrong = zip(*messages, strict=True)
    source = {s: _counted(s.encode()) for s in set(sources)}
    partition = {p: varint(p) for p in set(partitions)}
    key = {k: b"\0" if k is None else b"\2" + _counted(k) for k in set(keys)}
    sizes = list(map(len, values))
    size = {n: varint(n) for n in set(sizes)}
    time = iter(varints([a for a in arrived if a is not None]))
    return chain.from_iterable(
        zip(
            map(source.__getitem__, sources),
            map(partition.__getitem__, partitions),
            varints(offsets),
            map(key.__getitem__, keys),
            map(size.__getitem__, sizes),
            values,
            [b"\0" if a is None else b"\2" + next(time) for a in arrived],
            map((b"\0", b"\1").__getitem__, wrong),
            strict=True,
        )
    )


def _counted(data: bytes) -> bytes:
    return varint(len(data)) + data


class EvidenceFile:
    """An evidence file open for reading. What is wrong with it is a DamagedError with its place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._fd = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            raise DamagedError(f"{path}: the evidence file is missing") from None
        try:
            self.codec, self.sync, self.start, self.arrives = self._read_header()
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> EvidenceFile:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._fd)

    def _read_header(self) -> tuple[Codec, bytes, int, bool]:
        stream = io.BytesIO(os.pread(self._fd, _HEADER_ROOM, 0))
        try:
            if stream.read(len(MAGIC)) != MAGIC:
                raise ValueError("no Avro file")  # noqa: TRY301 - all of these mean the same
            meta: Any = schemaless_reader(stream, _META, None)
            codec = CODECS[meta["avro.codec"].decode()]
            sync, arrives = stream.read(SYNC_SIZE), _ARRIVES[meta["avro.schema"]]
            if len(sync) < SYNC_SIZE:
                raise ValueError("a header that is cut")  # noqa: TRY301
        except Exception as error:
            raise DamagedError(f"{self.path}, byte 0: no header of an evidence file") from error
        return codec, sync, stream.tell(), arrives

    def blocks(self, start: int, stop: int) -> Iterator[EvidenceBlock]:
        """The blocks from byte `start` (0: the first block) up to byte `stop`."""
        at = max(start, self.start)
        while at < stop:
            block = self._block(at, stop)
            yield block
            at = block.end

    def _block(self, at: int, stop: int) -> EvidenceBlock:
        frame = os.pread(self._fd, _FRAME_ROOM, at)
        try:
            count, used = read_varint(frame, 0)
            size, used = read_varint(frame, used)
            end = at + used + size + SYNC_SIZE
            if count < 1 or size < 0 or end > stop:
                raise BadBlockError(f"names {count} messages in {size} bytes")  # noqa: TRY301
            data = os.pread(self._fd, size + SYNC_SIZE, at + used)
            if data[size:] != self.sync:
                raise BadBlockError("has no marker at its end")  # noqa: TRY301
            found = decode_block(data[:size], count, self.codec, arrives=self.arrives)
            return EvidenceBlock(at, end, found)
        except (BadBlockError, IndexError) as error:
            raise DamagedError(f"{self.path}, byte {at}: the block {error or 'is cut'}") from None


def decode_block(
    data: bytes, count: int, codec: Codec, *, arrives: bool = True
) -> list[StoredMessage]:
    """The messages of a block's data, or a BadBlockError. `arrives`: in today's format."""
    try:
        stream = io.BytesIO(varint(count) + codec.unpack(data) + b"\0")
        records: Any = schemaless_reader(stream, _BLOCK if arrives else _FIRST_BLOCK, None)
    except Exception as error:
        raise BadBlockError(f"can't be read ({type(error).__name__}: {error})") from error
    if len(records) != count or stream.read(1):
        raise BadBlockError(f"does not hold the {count} messages it names")
    return [StoredMessage(**r) for r in records]
