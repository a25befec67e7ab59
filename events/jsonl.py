"""The contract's flat JSON: one object per event, the envelope's fields beside the event's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from events.bounds import Bounds
from events.contract import (
    ENVELOPE_FIELDS,
    build,
    did_you_mean,
    envelope_problem,
    event_problem,
    parse_prev,
    parse_signature,
    parse_time,
    show,
)
from events.errors import ContractError, InputError
from events.handed.text import parse_json
from events.model import EVENT_TYPES, CardsMoved, Envelope, Event, HeadSigned, RoundOpened


def event_fields(event: Event) -> dict[str, Any]:
    """An event's own fields as plain values, in the contract's order."""
    out = {f.name: getattr(event, f.name) for f in fields(event)}  # type: ignore[arg-type]
    if isinstance(event, RoundOpened):
        out["limits"] = {b: {"min": m.min, "max": m.max} for b, m in event.limits.items()}
    elif isinstance(event, CardsMoved):
        out["moves"] = [{"draw": m.draw, "box": m.box, "hand": m.hand} for m in event.moves]
    return out


def to_flat(envelope: Envelope) -> dict[str, Any]:
    """The contract's JSON object; envelope fields that are not known are left out."""
    out: dict[str, Any] = {"type": envelope.type, "round": envelope.round}
    if envelope.table is not None:
        out["table"] = envelope.table
    if envelope.seq is not None:
        out["seq"] = envelope.seq
    if envelope.at is not None:
        out["at"] = envelope.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if envelope.device is not None:
        out["device"] = envelope.device
    if envelope.prev is not None:
        out["prev"] = envelope.prev.hex()
    out.update(event_fields(envelope.event))
    if isinstance(envelope.event, HeadSigned):
        out["signature"] = envelope.event.signature.hex()
    return out


def from_flat(flat: Any) -> Envelope:
    """The typed event of one JSON object, or a ContractError with the first thing wrong."""
    if not isinstance(flat, dict):
        raise ContractError(f"expected a JSON object, found {show(flat)}")
    if "type" not in flat:
        raise ContractError("field type is missing: expected the name of an event")
    kind = flat["type"]
    if not isinstance(kind, str) or kind not in EVENT_TYPES:
        hint = did_you_mean(kind, EVENT_TYPES)
        raise ContractError(
            f"unknown event type {show(kind)}: expected one of the contract's events{hint}"
        )
    own = {k: v for k, v in flat.items() if k != "type" and k not in ENVELOPE_FIELDS}
    table, round_, seq = flat.get("table"), flat.get("round"), flat.get("seq")
    if kind == "HeadSigned" and "signature" in own:
        own["signature"] = parse_signature(own["signature"])
    problem = event_problem(kind, own) or envelope_problem(
        kind, table, round_, seq, flat.get("device"), sent=False
    )
    if problem is not None:
        raise ContractError(problem)
    at = None if flat.get("at") is None else parse_time(flat["at"])
    prev = None if flat.get("prev") is None else parse_prev(flat["prev"])
    return Envelope(build(kind, own), round_, table, seq, at, flat.get("device"), prev)


def loads(text: str | bytes) -> Envelope:
    """One line of JSON as a typed event, or a ContractError."""
    return from_flat(parse_json(text))


def dumps(envelope: Envelope) -> str:
    """One line of the contract's JSON, without the line's end."""
    return json.dumps(to_flat(envelope), ensure_ascii=False)


def check_amounts(envelope: Envelope, limits: Bounds) -> None:
    """A ContractError where an amount is above the bound."""
    problem = limits.amount_problem(envelope.type, event_fields(envelope.event))
    if problem is not None:
        raise ContractError(problem)


def read_lines(
    lines: Iterable[bytes], name: str, limits: Bounds | None = None
) -> Iterator[Envelope]:
    """The events of a JSON Lines file; an InputError names the line that is none, or out of
    bounds where they are given."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            envelope = loads(line.decode("utf-8"))
            if limits is not None:
                check_amounts(envelope, limits)
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: expected UTF-8 text") from None
        except ContractError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
        yield envelope
