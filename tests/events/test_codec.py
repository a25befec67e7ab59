"""Events as Avro bytes: any event comes back unchanged, any other bytes are named."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import model as m
from events.codec import (
    body_of,
    current_schema,
    decode,
    decode_record,
    encode,
    record_problem,
    schemas,
)
from events.errors import ContractError, DecodeError, EvenhandError
from tests.strategies import envelopes

AT = datetime(2026, 11, 15, 23, 41, 7, 123456, tzinfo=UTC)
CLOSED = m.Envelope(m.RoundClosed(), "R1", "T1", 7, AT, "console", bytes(32))


def why_not(message: bytes) -> str | None:
    """Why a message is no event, or None where it is one."""
    try:
        decode(message)
    except EvenhandError as error:
        return str(error)
    return None


@given(envelopes())
def test_any_event_goes_to_bytes_and_back(envelope: m.Envelope) -> None:
    assert decode(encode(envelope)) == envelope


@given(envelopes(), st.data())
def test_any_cut_is_noticed(envelope: m.Envelope, data: st.DataObject) -> None:
    message = encode(envelope)
    length = data.draw(st.integers(0, len(message) - 1))
    with pytest.raises(DecodeError):
        decode(message[:length])


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_one_sentence(body: bytes) -> None:
    for message in (body, current_schema().header + body):
        sentence = why_not(message)
        assert sentence is None or (sentence and "\n" not in sentence)


@pytest.mark.parametrize("field", ["table", "seq", "at", "device", "prev"])
def test_a_sent_event_has_its_whole_envelope(field: str) -> None:
    with pytest.raises(ContractError) as caught:
        encode(dataclasses.replace(CLOSED, **{field: None}))  # type: ignore[arg-type]
    assert str(caught.value) == f"RoundClosed: field {field} is missing; a sent event has it"


GOOD = encode(CLOSED)
FINGERPRINT = current_schema().fingerprint.hex()
BAD_BYTES = {
    "empty": (b"", "empty message: expected an Avro event, found no bytes"),
    "text": (
        b"hello, world",
        "not an Avro single-object message: expected to begin with c301, found 6865",
    ),
    "half a header": (GOOD[:6], "cut short in the header: expected 10 bytes, found 6"),
    "unknown schema": (
        b"\xc3\x01" + bytes(8) + GOOD[10:],
        "unknown schema fingerprint 0000000000000000: expected "
        f"{schemas()[1].fingerprint.hex()} (version 1), {FINGERPRINT} (version 2)",
    ),
    "no body": (GOOD[:10], "truncated: the event goes on past the end of its 0 bytes"),
    "cut": (
        GOOD[:-20],
        f"truncated: the event goes on past the end of its {len(GOOD) - 30} bytes",
    ),
    "too long": (
        GOOD + b"xyz",
        f"3 bytes left over after the event: expected {len(GOOD) - 10}, found {len(GOOD) - 7}",
    ),
}


@pytest.mark.parametrize(("message", "sentence"), BAD_BYTES.values(), ids=BAD_BYTES)
def test_bytes_that_are_no_event(message: bytes, sentence: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(message)
    assert str(caught.value) == sentence


BAD_ENVELOPES = {
    "no table": (
        {"table": ""},
        'RoundClosed, table: expected text that is not empty, found ""',
    ),
    "seq 0": ({"seq": 0}, "RoundClosed, seq: expected an integer of at least 1, found 0"),
    "unknown device": (
        {"device": "shoo"},
        'RoundClosed, unknown device "shoo": expected one of console, gateway, jackpot, '
        "layout, shoe "
        "(did you mean shoe?)",
    ),
    "no round": (
        {"round": None},
        "RoundClosed: field round is missing; only events between rounds have none",
    ),
    "empty round": (
        {"round": ""},
        'RoundClosed, round: expected text that is not empty, found ""',
    ),
}


@pytest.mark.parametrize(("change", "sentence"), BAD_ENVELOPES.values(), ids=BAD_ENVELOPES)
def test_bytes_that_decode_and_break_the_contract(change: dict[str, object], sentence: str) -> None:
    message = encode(dataclasses.replace(CLOSED, **change))  # type: ignore[arg-type]
    assert record_problem(decode_record(message)) == sentence
    with pytest.raises(ContractError) as caught:
        decode(message)
    assert str(caught.value) == sentence


def test_the_body_is_what_follows_ten_bytes() -> None:
    assert current_schema().header + body_of(GOOD) == GOOD
