"""Many Avro bodies of one schema read side by side, field by field, into numpy columns.

Fastavro makes a Python object of every value; an archive wants columns. Here one step reads the
same field of all bodies at once. Only what is plain is read: whatever is odd about any of the
bodies is an OddError, and the caller reads them one by one, by fastavro, to say what it is. So
this may refuse what fastavro takes, and never reads anything otherwise than fastavro does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

# said to be types: who compiles the rules knows nothing of numpy
Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_LAST_SHIFT = 56
"""A number of nine bytes is the longest that is read: 63 bits, so that no shift overflows."""
_MOST_ITEMS = 64


class OddError(Exception):
    """Something that only reading one by one can tell more about. `rows`: where, if it is known."""

    def __init__(self, rows: Numbers | None = None) -> None:
        super().__init__()
        self.rows = rows


class Spans(NamedTuple):
    """Bytes of each body: where they begin in the joined bodies, and how many they are."""

    start: Numbers
    size: Numbers


class Sparse(NamedTuple):
    """Values that some rows have: which rows, and their values."""

    rows: Numbers
    values: Values


Values: TypeAlias = Numbers | Flags | Spans
Column: TypeAlias = Values | Sparse


@dataclass(slots=True)
class Bodies:
    """Bodies joined into one stretch of bytes, and how far each is read."""

    data: NDArray[np.uint8]
    at: Numbers
    end: Numbers
    rows: Numbers | None = None  # which of the messages they are; None: all

    @classmethod
    def of(cls, messages: Sequence[bytes], skip: int) -> Bodies:
        """The bodies of messages, each after `skip` bytes of header."""
        sizes = np.fromiter(map(len, messages), np.int64, len(messages))
        must_not(sizes < skip)
        data = np.frombuffer(b"".join(messages), np.uint8)
        end = np.cumsum(sizes)
        return cls(data, end - sizes + skip, end)

    def some(self, rows: Numbers) -> Bodies:
        mine = rows if self.rows is None else self.rows[rows]
        return Bodies(self.data, self.at[rows], self.end[rows], mine)

    def _must_not(self, odd: Flags) -> None:
        must_not(odd, self.rows)

    def read(self, schema: Any) -> Values:
        """The next value of every body, of a type that is not a record, a union or a map."""
        kind = schema["type"] if isinstance(schema, dict) else schema
        if kind in ("long", "int"):
            return self.longs()
        if kind in ("string", "bytes"):
            return self._skip(self.longs())
        if kind == "fixed":
            return self._skip(np.full(len(self.at), schema["size"], np.int64))
        if kind == "boolean":
            return self._booleans()
        if kind in ("map", "array"):
            return self._items(schema)
        raise OddError

    def maybe(self, schema: Any) -> Column:
        """The next value where it may be null."""
        if not isinstance(schema, list):
            return self.read(schema)
        if len(schema) != 2 or schema[0] != "null":
            raise OddError
        branch = self.longs()
        self._must_not((branch != 0) & (branch != 1))
        rows = np.flatnonzero(branch)
        some = self.some(rows)
        values = some.read(schema[1])
        self.at[rows] = some.at
        return Sparse(rows, values)

    def longs(self) -> Numbers:
        byte = self._bytes().astype(np.int64)
        number = byte & 0x7F
        rows = np.flatnonzero(byte >= 0x80)
        shift = 7
        while len(rows):
            if shift > _LAST_SHIFT:
                raise OddError(rows if self.rows is None else self.rows[rows])
            if (cut := self.at[rows] >= self.end[rows]).any():
                raise OddError(rows[cut] if self.rows is None else self.rows[rows[cut]])
            byte = self.data[self.at[rows]].astype(np.int64)
            self.at[rows] += 1
            number[rows] |= (byte & 0x7F) << shift
            rows = rows[byte >= 0x80]
            shift += 7
        return (number >> 1) ^ -(number & 1)

    def _bytes(self) -> NDArray[np.uint8]:
        self._must_not(self.at >= self.end)
        byte = self.data[self.at]
        self.at += 1
        return byte

    def _skip(self, size: Numbers) -> Spans:
        start = self.at.copy()
        self._must_not((size < 0) | (size > self.end - start))
        self.at += size
        return Spans(start, size)

    def _booleans(self) -> Flags:
        byte = self._bytes()
        self._must_not(byte > 1)
        flags: Flags = byte == 1
        return flags

    def _items(self, schema: Any) -> Spans:
        """A map or an array, only as far as where it ends: few differ, and each is read once."""
        start = self.at.copy()
        left = self.longs()
        self._must_not((left < 0) | (left > _MOST_ITEMS))
        holding = some_at = np.flatnonzero(left)
        item = schema["values"] if schema["type"] == "map" else schema["items"]
        while len(some_at):
            some = self.some(some_at)
            if schema["type"] == "map":
                some.read("string")
            for field in item["fields"]:
                some.read(field["type"])
            self.at[some_at] = some.at
            left[some_at] -= 1
            some_at = some_at[left[some_at] > 0]
        ends = self.some(holding)  # after items another count follows: zero, that was all
        ends._must_not(ends.longs() != 0)
        self.at[holding] = ends.at
        return Spans(start, self.at - start)

    def must_be_read(self) -> None:
        """Every body is read to its end, and none past it."""
        self._must_not(self.at != self.end)


def must_not(odd: Flags, rows: Numbers | None = None) -> None:
    """An OddError with the rows that are odd, where any is. `rows`: what they are called."""
    if odd.any():
        found = np.flatnonzero(odd)
        raise OddError(found if rows is None else rows[found])


def gathered(data: NDArray[np.uint8], spans: Spans) -> tuple[NDArray[np.uint8], Numbers]:
    """The bytes of spans one after the other, and where each begins (and the last ends)."""
    offsets = np.zeros(len(spans.size) + 1, np.int64)
    np.cumsum(spans.size, out=offsets[1:])
    places = np.repeat(spans.start - offsets[:-1], spans.size)
    places += np.arange(offsets[-1])
    return data[places], offsets
