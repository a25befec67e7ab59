"""Events as Avro bytes: the single-object encoding that Kafka carries, and the bare body.

The body is what the chain hashes. A message names its writer's schema by fingerprint; every
version of the schema that was ever used lies in events/schemas/ and stays readable.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.schema import fingerprint, to_parsing_canonical_form

from events.contract import build, envelope_problem, event_problem
from events.errors import ContractError, DecodeError
from events.jsonl import event_fields
from events.model import Envelope

MARKER = b"\xc3\x01"
HEADER_SIZE = 10
GENESIS = bytes(32)
CURRENT_VERSION = 2


@dataclass(frozen=True)
class Schema:
    """One version of the event schema, ready for fastavro."""

    version: int
    source: str
    parsed: Any
    fingerprint: bytes

    @property
    def header(self) -> bytes:
        """The ten bytes before the body: marker and fingerprint."""
        return MARKER + self.fingerprint


def load_schema(source: str, version: int) -> Schema:
    """A schema from its JSON text; the fingerprint is CRC-64-AVRO of its canonical form."""
    raw = json.loads(source)
    digest = fingerprint(to_parsing_canonical_form(raw), "CRC-64-AVRO")
    # fastavro prints the fingerprint as the specification stores it: low byte first
    return Schema(version, source, parse_schema(raw), bytes.fromhex(digest))


@cache
def schemas() -> Mapping[int, Schema]:
    """Every version in events/schemas/, by number."""
    found: dict[int, Schema] = {}
    for entry in resources.files("events.schemas").iterdir():
        name = entry.name
        if name.startswith("round_event.v") and name.endswith(".avsc"):
            version = int(name.removeprefix("round_event.v").removesuffix(".avsc"))
            found[version] = load_schema(entry.read_text("utf-8"), version)
    return dict(sorted(found.items()))


@cache
def current_schema() -> Schema:
    """The version that is written today."""
    return schemas()[CURRENT_VERSION]


@cache
def _by_fingerprint() -> Mapping[bytes, Schema]:
    return {s.fingerprint: s for s in schemas().values()}


def encode_body(envelope: Envelope, schema: Schema | None = None) -> bytes:
    """The Avro body of an event that has a whole envelope, by today's schema or an older one."""
    record = {
        "table": envelope.table,
        "round": envelope.round,
        "seq": envelope.seq,
        "at": envelope.at,
        "device": envelope.device,
        "prev": envelope.prev,
        "event": (envelope.type, event_fields(envelope.event)),
    }
    for name in ("table", "seq", "at", "device", "prev"):
        if record[name] is None:
            raise ContractError(f"{envelope.type}: field {name} is missing; a sent event has it")
    out = io.BytesIO()
    schemaless_writer(out, (schema or current_schema()).parsed, record)
    return out.getvalue()


def encode(envelope: Envelope, schema: Schema | None = None) -> bytes:
    """The event in Avro single-object encoding, as it goes to Kafka."""
    return (schema or current_schema()).header + encode_body(envelope, schema)


def body_of(message: bytes) -> bytes:
    """The body bytes of a message, without looking into them."""
    return message[HEADER_SIZE:]


def hash_body(body: bytes) -> bytes:
    """What the next event of the table carries as `prev`."""
    return hashlib.sha256(body).digest()


def schema_of(message: bytes) -> Schema:
    """The writer's schema of a message, or a DecodeError."""
    if not message:
        raise DecodeError("empty message: expected an Avro event, found no bytes")
    if message[:2] != MARKER:
        raise DecodeError(
            f"not an Avro single-object message: expected to begin with c301, "
            f"found {message[:2].hex()}"
        )
    if len(message) < HEADER_SIZE:
        raise DecodeError(f"cut short in the header: expected 10 bytes, found {len(message)}")
    found = _by_fingerprint().get(message[2:HEADER_SIZE])
    if found is None:
        known = ", ".join(f"{s.fingerprint.hex()} (version {v})" for v, s in schemas().items())
        raise DecodeError(
            f"unknown schema fingerprint {message[2:HEADER_SIZE].hex()}: expected {known}"
        )
    return found


def decode_record(message: bytes) -> dict[str, Any]:
    """A message as fastavro's plain record, or a DecodeError. Nothing of the contract is checked.

    The record has the envelope's fields and `event`, a pair of type name and fields.
    """
    return decode_body(message[HEADER_SIZE:], schema_of(message))


def decode_body(body: bytes, schema: Schema, reader: Schema | None = None) -> dict[str, Any]:
    """The body alone as fastavro's plain record; bytes that are left over are an error too.

    `schema` is the writer's; fields that came later get the defaults of `reader`, today's schema.
    """
    stream = io.BytesIO(body)
    wanted = reader or current_schema()
    try:
        record: Any = schemaless_reader(
            stream, schema.parsed, wanted.parsed, return_record_name=True
        )
    except EOFError:
        raise DecodeError(
            f"truncated: the event goes on past the end of its {len(body)} bytes"
        ) from None
    except Exception as error:  # noqa: BLE001 - fastavro raises whatever its C code met
        raise DecodeError(f"not an event of schema version {schema.version}: {error}") from None
    if stream.tell() != len(body):
        raise DecodeError(
            f"{len(body) - stream.tell()} bytes left over after the event: "
            f"expected {stream.tell()}, found {len(body)}"
        )
    result: dict[str, Any] = record
    return result


def record_problem(record: Mapping[str, Any]) -> str | None:
    """How a decoded record breaks the contract, or None."""
    kind, own = record["event"]
    return event_problem(kind, own) or envelope_problem(
        kind, record["table"], record["round"], record["seq"], record["device"], sent=True
    )


def to_envelope(record: Mapping[str, Any]) -> Envelope:
    """The typed event of a record that record_problem() found nothing wrong with."""
    kind, own = record["event"]
    return Envelope(
        build(kind, own),
        record["round"],
        record["table"],
        record["seq"],
        record["at"],
        record["device"],
        record["prev"],
    )


def decode(message: bytes) -> Envelope:
    """A message as a typed event; a DecodeError or a ContractError says why it is none."""
    return checked_envelope(decode_record(message))


def checked_envelope(record: Mapping[str, Any]) -> Envelope:
    """The typed event of a decoded record, or a ContractError."""
    problem = record_problem(record)
    if problem is not None:
        raise ContractError(problem)
    return to_envelope(record)
