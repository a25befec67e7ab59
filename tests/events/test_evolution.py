"""Events that were written once stay readable for ever.

tests/events/data/ holds an event of every type as version 1 wrote it: as an Avro file, as
messages (in hex digits) and as JSON. These files are never written anew. When version 2 comes, it
gets files of its own beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fastavro
import pytest

from events.codec import (
    GENESIS,
    Schema,
    body_of,
    decode,
    decode_body,
    decode_record,
    encode,
    hash_body,
    load_schema,
    schemas,
    to_envelope,
)
from events.jsonl import loads
from events.model import EVENT_TYPES, Envelope

DATA = Path(__file__).parent / "data"
MESSAGES = [bytes.fromhex(line) for line in (DATA / "v1.hex").read_text("ascii").split()]
EXPECTED = [loads(line) for line in (DATA / "v1.jsonl").read_bytes().splitlines()]


def later_schema() -> Schema:
    """Version 1 with a new field in the envelope and one in an event, both with a default."""
    source: dict[str, Any] = json.loads(schemas()[1].source)
    source["fields"].append({"name": "pit", "type": "string", "default": "main", "doc": "Pit."})
    union = next(f for f in source["fields"] if f["name"] == "event")["type"]
    settled = next(r for r in union if r["name"] == "BetSettled")
    settled["fields"].append(
        {"name": "chips", "type": ["null", "int"], "default": None, "doc": "How many chips."}
    )
    return load_schema(json.dumps(source), 2)


def test_the_files_have_every_event() -> None:
    assert {e.type for e in EXPECTED} == set(EVENT_TYPES)
    assert len(MESSAGES) == len(EXPECTED)


@pytest.mark.parametrize(("message", "expected"), list(zip(MESSAGES, EXPECTED, strict=True)))
def test_version_1_messages_are_read_and_written_as_ever(
    message: bytes, expected: Envelope
) -> None:
    assert decode(message) == expected
    assert encode(expected) == message


def test_version_1_messages_are_chained() -> None:
    hashes = [GENESIS, *(hash_body(body_of(m)) for m in MESSAGES)]
    assert [e.prev for e in EXPECTED] == hashes[:-1]


def test_the_version_1_file_is_read() -> None:
    with (DATA / "v1.avro").open("rb") as file:
        records = list(fastavro.reader(file, return_record_name=True))
    assert [to_envelope(r) for r in records] == EXPECTED  # type: ignore[arg-type]


def test_version_1_messages_are_read_with_a_later_schema() -> None:
    later = later_schema()
    assert later.fingerprint != schemas()[1].fingerprint
    for message in MESSAGES:
        record = decode_body(body_of(message), schemas()[1], later)
        assert record.pop("pit") == "main"
        kind, own = record["event"]
        if kind == "BetSettled":
            assert own.pop("chips") is None
        assert record == decode_record(message)


def test_the_version_1_file_is_read_with_a_later_schema() -> None:
    with (DATA / "v1.avro").open("rb") as file:
        records: list[Any] = list(fastavro.reader(file, later_schema().parsed))
    assert [r["seq"] for r in records] == [e.seq for e in EXPECTED]
    assert {r["pit"] for r in records} == {"main"}
