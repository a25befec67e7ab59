"""The contract's flat JSON: one object per event, the envelope's fields beside the event's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from events.contract import (
    ENVELOPE_FIELDS,
    build,
    did_you_mean,
    envelope_problem,
    event_problem,
    parse_prev,
    parse_time,
    show,
)
from events.errors import ContractError, InputError
from events.model import EVENT_TYPES, CardsMoved, Envelope, Event, RoundOpened


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
    problem = event_problem(kind, own) or envelope_problem(
        kind, table, round_, seq, flat.get("device"), sent=False
    )
    if problem is not None:
        raise ContractError(problem)
    at = None if flat.get("at") is None else parse_time(flat["at"])
    prev = None if flat.get("prev") is None else parse_prev(flat["prev"])
    return Envelope(build(kind, own), round_, table, seq, at, flat.get("device"), prev)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ContractError(f"field {twice} stands twice in one object")
    return out


def _no_constant(text: str) -> Any:
    raise ContractError(f"{text} is not a number of the contract")


def loads(text: str | bytes) -> Envelope:
    """One line of JSON as a typed event, or a ContractError."""
    try:
        flat = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ContractError(f"not JSON: {error}") from None
    return from_flat(flat)


def dumps(envelope: Envelope) -> str:
    """One line of the contract's JSON, without the line's end."""
    return json.dumps(to_flat(envelope), ensure_ascii=False)


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[Envelope]:
    """The events of a JSON Lines file; an InputError names the line that is none."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: expected UTF-8 text") from None
        except ContractError as error:
            raise InputError(f"{name}, line {number}: {error}") from None
