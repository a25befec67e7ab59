"""The Avro schema says what the contract says, and does not change by accident."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from events.codec import current_schema, schemas
from events.contract import ENVELOPE_FIELDS, EVENT_FIELDS, Field
from events.model import EVENT_TYPES

SOURCE: dict[str, Any] = json.loads(current_schema().source)
UNION: list[dict[str, Any]] = next(f for f in SOURCE["fields"] if f["name"] == "event")["type"]
MEMBERS = {record["name"]: record for record in UNION}
LONGS = frozenset("seq amount stake stake_returned winnings min max jackpot_bet".split())


def named_types(schema: Any) -> Iterator[dict[str, Any]]:
    """Every record and fixed in a schema."""
    if isinstance(schema, list):
        for member in schema:
            yield from named_types(member)
    elif isinstance(schema, dict):
        if schema["type"] in {"record", "fixed"}:
            yield schema
        for inner in (schema.get("items"), schema.get("values"), schema["type"]):
            yield from named_types(inner)
        for field in schema.get("fields", ()):
            yield from named_types(field["type"])


def test_the_fingerprint_of_a_version_never_changes() -> None:
    # devices in the field send it, and the archive is full of it: a change is a new version
    assert {v: s.fingerprint.hex() for v, s in schemas().items()} == {
        1: "70e8cf9f4a5a36a2",
        2: "16c7d1d803084834",
    }


def test_every_record_and_every_field_has_a_doc() -> None:
    without = []
    for found in named_types(SOURCE):
        if not found.get("doc"):
            without.append(found["name"])
        fields = found.get("fields", ())
        without += [f"{found['name']}.{f['name']}" for f in fields if not f.get("doc")]
    assert without == []


def test_the_envelope_has_the_contracts_fields() -> None:
    assert tuple(f["name"] for f in SOURCE["fields"]) == (*ENVELOPE_FIELDS, "event")


def test_the_union_has_every_event() -> None:
    assert list(MEMBERS) == list(EVENT_TYPES)


def avro_type(field: Field) -> Any:
    """What the contract makes of a field's type in Python."""
    name = {bool: "boolean", str: "string"}.get(field.base)
    if field.base is int:
        name = "long" if field.name in LONGS else "int"
    return ["null", name] if field.nullable else name


@pytest.mark.parametrize("event", EVENT_TYPES)
def test_an_event_has_the_same_fields_in_avro_and_python(event: str) -> None:
    found = {f["name"]: f["type"] for f in MEMBERS[event]["fields"]}
    expected = {f.name: avro_type(f) for f in EVENT_FIELDS[event]}
    for special in ("limits", "moves", "signature"):
        assert (special in found) == (special in expected)
        found.pop(special, None)
        expected.pop(special, None)
    assert found == expected
