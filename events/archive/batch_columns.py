"""The columns of a whole batch of messages at once, and the contract held against columns.

Every check is the contract's own (events/contract.py, events/bounds.py), asked once about the
ends of a column of numbers or once about each of its few words, not once per event. It answers
only for a batch in which nothing is wrong; else the messages are judged one by one, so that what
is told about a bad one is the same sentence however it was found (docs/adr/0020).
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from fastavro import parse_schema, schemaless_reader
from numpy.lib.stride_tricks import sliding_window_view

from events.archive.arrow_arrays import buffer, fixed_array, type_array, validity
from events.archive.columns import ARROW_SCHEMA, RENAMED, WORD, arrow_limits
from events.bounds import Bounds
from events.codec import HEADER_SIZE, current_schema
from events.contract import (
    AMOUNTS_OF,
    CHECKS,
    DEALER_MAY,
    HAS_PLACE,
    Field,
    envelope_problem,
    place_problem,
)
from events.lockstep import (
    Bodies,
    Column,
    Flags,
    Numbers,
    OddError,
    Spans,
    Sparse,
    gathered,
    must_not,
)

_FIRST_US, _LAST_US = -62_135_424_000_000_000, 253_402_128_000_000_000
"""Two days within the calendar: every time between them is a time in every zone."""


@dataclass(slots=True)
class BatchColumns:
    """What a batch says: columns of ARROW_SCHEMA, and what finding the days needs of them."""

    columns: dict[str, pa.Array[Any]]
    at_us: Numbers
    tables: list[str]
    table_codes: Numbers
    rounds: list[str]
    round_codes: Numbers  # -1: between rounds
    types: list[str]
    type_codes: Numbers


@dataclass(slots=True)
class _Wide:
    """One field of all the events that have it, over all rows."""

    valid: Flags
    numbers: Numbers | None = None
    spans: Spans | None = None

    def put(self, rows: Numbers, column: Column) -> None:
        if isinstance(column, Sparse):
            rows, column = rows[column.rows], column.values
        self.valid[rows] = True
        if isinstance(column, Spans):
            if self.spans is None:
                self.spans = Spans(*(np.zeros(len(self.valid), np.int64) for _ in Spans._fields))
            self.spans.start[rows], self.spans.size[rows] = column
        else:
            if self.numbers is None:
                self.numbers = np.zeros(len(self.valid), np.int64)
            self.numbers[rows] = column


@dataclass(slots=True)
class _Words:
    """A column of few words, and which of them stands in each row."""

    array: pa.Array[Any]
    words: list[Any]  # text, or the bytes of maps and lists
    codes: Numbers


def read_batch(
    values: Sequence[bytes], keys: Sequence[bytes | None], bounds: Bounds
) -> BatchColumns:
    """The columns of messages that are all events by today's schema, or an OddError."""
    return _Reading(values, bounds).batch(keys)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The schema as the walk needs it: the envelope's fields, then those of each event."""

    envelope: list[tuple[str, Any]]
    events: list[tuple[str, list[tuple[Field, Any]]]]


@cache
def _plan() -> _Plan | None:
    """None where schema and contract do not name the same fields: then nothing is read here."""
    schema = json.loads(current_schema().source)
    *envelope, event = schema["fields"]
    events: list[tuple[str, list[tuple[Field, Any]]]] = []
    for record in event["type"]:
        checked = {f.name: f for f, _ in CHECKS.get(record["name"], ())}
        if list(checked) != [f["name"] for f in record["fields"]]:
            return None
        events.append((record["name"], [(checked[f["name"]], f["type"]) for f in record["fields"]]))
    return _Plan([(f["name"], f["type"]) for f in envelope], events)


@dataclass(slots=True)
class _Reading:
    """One batch under way."""

    values: Sequence[bytes]
    bounds: Bounds
    bodies: Bodies = field(init=False)
    wide: dict[str, _Wide] = field(init=False, default_factory=dict)
    words: dict[str, _Words] = field(init=False, default_factory=dict)
    texts: dict[str, pa.Array[Any]] = field(init=False, default_factory=dict)

    def batch(self, keys: Sequence[bytes | None]) -> BatchColumns:
        plan, header = _plan(), current_schema().header
        if plan is None:
            raise OddError
        must_not(np.array([not v.startswith(header) for v in self.values]))
        self.bodies = Bodies.of(self.values, HEADER_SIZE)
        everybody = np.arange(len(self.values))
        for name, schema in plan.envelope:
            self._put(name, everybody, self.bodies.maybe(schema))
        type_codes = self.bodies.longs()
        groups = self._events(plan, type_codes)
        self.bodies.must_be_read()
        for name in self.wide:
            self._as_text(name)
        self._must_be_keyed(keys)
        self._check_envelope(plan, type_codes)
        for n, rows in groups:
            self._check_event(*plan.events[n], rows)
        return self._answer([name for name, _ in plan.events], type_codes)

    def _put(self, name: str, rows: Numbers, column: Column) -> None:
        wide = self.wide.get(name)
        if wide is None:
            wide = self.wide[name] = _Wide(np.zeros(len(self.values), np.bool_))
        wide.put(rows, column)

    def _events(self, plan: _Plan, type_codes: Numbers) -> list[tuple[int, Numbers]]:
        """Read each event's own fields, all events of one type together."""
        must_not((type_codes < 0) | (type_codes >= len(plan.events)))
        order = np.argsort(type_codes, kind="stable")
        counts = np.bincount(type_codes, minlength=len(plan.events))
        groups, start = [], 0
        for n, count in enumerate(counts.tolist()):
            if count:
                rows = order[start : start + count]
                start += count
                some = self.bodies.some(rows)
                for f, schema in plan.events[n][1]:
                    self._put(f.name, rows, some.maybe(schema))
                self.bodies.at[rows] = some.at
                groups.append((n, rows))
        return groups

    def _as_text(self, name: str) -> None:
        """Spans of text as Arrow holds it; words also by number."""
        spans, valid = self.wide[name].spans, self.wide[name].valid
        if spans is None or name in ("prev", "signature"):
            return
        data, offsets = gathered(self.bodies.data, spans)
        kind = pa.binary() if name in ("limits", "moves") else pa.string()
        buffers = [validity(valid), buffer(offsets.astype(np.int32)), buffer(data)]
        array = pa.Array.from_buffers(kind, len(valid), buffers)
        if kind == pa.string() and (data >= 0x80).any():
            _must_be_utf8(array)
        self.texts[name] = array
        field_ = ARROW_SCHEMA.field(RENAMED.get(name, name))
        if field_.type == WORD or name in ("round", "limits", "moves"):
            encoded: Any = array.dictionary_encode()
            codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
            self.words[name] = _Words(encoded, encoded.dictionary.to_pylist(), codes)

    def _must_be_keyed(self, keys: Sequence[bytes | None]) -> None:
        """Each message's key is its table."""
        table = self.words["table"]
        names = [name.encode() for name in table.words]
        expected = [names[code] for code in table.codes.tolist()]
        if list(keys) != expected:
            both = zip(keys, expected, strict=True)
            raise OddError(np.flatnonzero([key != table for key, table in both]))

    def _check_envelope(self, plan: _Plan, type_codes: Numbers) -> None:
        at, seq = self._numbers("at"), self._numbers("seq")
        must_not((at < _FIRST_US) | (at > _LAST_US))
        rounds, devices = self.wide["round"], self.words["device"]
        assert rounds.spans is not None
        said = np.where(rounds.valid, np.minimum(rounds.spans.size, 1), 2)
        seen = np.unique((type_codes * 3 + said) * len(devices.words) + devices.codes)
        asked = [
            (plan.events[kind][0], "a table", ("", "a round", None)[text], 1, devices.words[device])
            for kind, text, device in (
                (*divmod(rest, 3), device)
                for rest, device in (divmod(n, len(devices.words)) for n in seen.tolist())
            )
        ]
        asked += [("RoundClosed", t, "a round", 1, "console") for t in self.words["table"].words]
        asked += [
            ("RoundClosed", "a table", "a round", int(n), "console") for n in (seq.min(), seq.max())
        ]
        if any(envelope_problem(*one, sent=True) for one in asked):
            raise OddError

    def _numbers(self, name: str) -> Numbers:
        numbers = self.wide[name].numbers
        assert numbers is not None
        return numbers

    def _check_event(self, event: str, fields: list[tuple[Field, Any]], rows: Numbers) -> None:
        own: dict[str, Any] = {}
        for (f, _), (_, check) in zip(fields, CHECKS[event], strict=True):
            wide = self.wide[f.name]
            there = rows[wide.valid[rows]]
            if len(there) < len(rows) and not f.nullable:
                raise OddError
            asked = self._asked(f, there)
            if any(check(value) is not None for value in asked):
                raise OddError
            own[f.name] = asked
        self._check_amounts(event, own)
        if event in HAS_PLACE:
            self._check_places(event, rows)

    def _asked(self, f: Field, rows: Numbers) -> list[Any]:
        """Values of a column that stand for all of it, whatever check is asked about them."""
        if not len(rows):
            return []
        wide = self.wide[f.name]
        if f.name in self.words:
            words = self.words[f.name]
            found = [words.words[n] for n in np.unique(words.codes[rows]).tolist()]
            return [_read_items(f.name, w) for w in found] if f.name in _ITEMS else found
        if wide.numbers is not None:
            numbers = wide.numbers[rows]
            ends = int(numbers.min()), int(numbers.max())
            return [bool(n) for n in ends] if f.base is bool else list(ends)
        assert wide.spans is not None
        shortest = int(rows[np.argmin(wide.spans.size[rows])])
        if f.base is bytes:
            return [bytes(int(wide.spans.size[shortest]))]
        return [self.texts[f.name][shortest].as_py()]  # text must at most not be empty

    def _check_amounts(self, event: str, own: dict[str, list[Any]]) -> None:
        for name in AMOUNTS_OF[event]:
            for value in own[name]:
                alone = dict.fromkeys(AMOUNTS_OF[event]) | {name: value}
                if name != "limits" and "limits" in alone:
                    alone["limits"] = _NO_LIMITS
                if self.bounds.amount_problem(event, alone) is not None:
                    raise OddError

    def _check_places(self, event: str, rows: Numbers) -> None:
        box, hand = self.wide["box"], self.wide["hand"]
        both = rows[box.valid[rows] & hand.valid[rows]]
        if not len(both):
            return
        pairs = np.unique(self._numbers("box")[both] * 256 + self._numbers("hand")[both])
        for place in pairs.tolist():
            if place_problem(*divmod(place, 256), dealer=event in DEALER_MAY) is not None:
                raise OddError

    def _answer(self, types: list[str], type_codes: Numbers) -> BatchColumns:
        rounds, tables = self.words["round"], self.words["table"]
        columns = {RENAMED.get(name, name): self._array(name) for name in self.wide}
        columns["type"] = type_array(types, type_codes)
        return BatchColumns(
            columns, self._numbers("at"), tables.words, tables.codes, rounds.words, rounds.codes,
            types, type_codes,
        )  # fmt: skip

    def _array(self, name: str) -> pa.Array[Any]:
        wide, kind = self.wide[name], ARROW_SCHEMA.field(RENAMED.get(name, name)).type
        if name in _ITEMS:
            encoded: Any = self.words[name].array
            read = [_read_items(name, w) for w in self.words[name].words]
            made = pa.array(arrow_limits(read) if name == "limits" else read, type=kind)
            taken: pa.Array[Any] = made.take(encoded.indices)
            return taken
        if kind == WORD:
            return self.words[name].array
        if name in self.texts:
            return self.texts[name]
        if wide.spans is not None:  # of one size each: prev, signature
            start = np.where(wide.valid, wide.spans.start, 0)  # or any bytes, where it is null
            rows = sliding_window_view(self.bodies.data, kind.byte_width)[start]
            return fixed_array(kind, rows, wide.valid)
        assert wide.numbers is not None
        return fixed_array(kind, wide.numbers, wide.valid)


_ITEMS = ("limits", "moves")
_NO_LIMITS = {"": {"min": 0, "max": 0}}


@cache
def _items_schema(name: str) -> Any:
    plan = _plan()
    assert plan is not None
    found = next(s for _, fields in plan.events for f, s in fields if f.name == name)
    return parse_schema(found)


def _read_items(name: str, data: bytes) -> Any:
    """A map or a list of the few different ones, as fastavro reads it."""
    try:
        return schemaless_reader(io.BytesIO(data), _items_schema(name), None)
    except UnicodeDecodeError:
        raise OddError from None


def _must_be_utf8(array: pa.Array[Any]) -> None:
    try:
        for value in array.cast(pa.binary()).to_pylist():
            if value is not None:
                value.decode()
    except UnicodeDecodeError:
        raise OddError from None
