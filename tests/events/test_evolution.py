"""Events that were written once stay readable for ever.

tests/events/data/ holds an event of every type as each version wrote it: as messages (in hex
digits), as JSON and, for version 1, as an Avro file. These files are never written anew. When
another version comes, it gets files of its own beside them.
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


def messages_of(version: int) -> list[bytes]:
    return [bytes.fromhex(line) for line in (DATA / f"v{version}.hex").read_text("ascii").split()]


def expected_of(version: int) -> list[Envelope]:
    return [loads(line) for line in (DATA / f"v{version}.jsonl").read_bytes().splitlines()]


MESSAGES, EXPECTED = messages_of(1), expected_of(1)
ALL = [
    (version, message, expected)
    for version in schemas()
    for message, expected in zip(messages_of(version), expected_of(version), strict=True)
]


def later_schema() -> Schema:
    """Version 1 with a new field in the envelope and one in an event, both with a default."""
    source: dict[str, Any] = json.loads(schemas()[1].source)
    source["fields"].append({"name": "pit", "type": "string", "default": "main", "doc": "Pit."})
    union = next(f for f in source["fields"] if f["name"] == "event")["type"]
    settled = next(r for r in union if r["name"] == "BetSettled")
    settled["fields"].append(
        {"name": "chips", "type": ["null", "int"], "default": None, "doc": "How many chips."}
    )
    return load_schema(json.dumps(source), 99)


@pytest.mark.parametrize("version", schemas())
def test_the_files_have_every_event_of_their_version(version: int) -> None:
    union = next(f for f in json.loads(schemas()[version].source)["fields"] if f["name"] == "event")
    assert {e.type for e in expected_of(version)} == {member["name"] for member in union["type"]}
    assert set(EVENT_TYPES) == {e.type for v in schemas() for e in expected_of(v)}


@pytest.mark.parametrize(("version", "message", "expected"), ALL)
def test_messages_of_every_version_are_read_and_written_as_ever(
    version: int, message: bytes, expected: Envelope
) -> None:
    assert decode(message) == expected
    assert encode(expected, schemas()[version]) == message


@pytest.mark.parametrize("version", schemas())
def test_messages_of_every_version_are_chained(version: int) -> None:
    hashes = [GENESIS, *(hash_body(body_of(m)) for m in messages_of(version))]
    assert [e.prev for e in expected_of(version)] == hashes[:-1]


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
