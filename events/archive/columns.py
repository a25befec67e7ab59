"""The same events as columns: one wide table, a column per field of the contract.

The schema is read off the typed events, so a new field gets its column without a word here. SQL
reserves three of the contract's names; those columns are called table_id, seen_at and noted_by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from events.archive.arrow_arrays import fixed_array
from events.archive.evidence import StoredMessage
from events.contract import EVENT_FIELDS, SIGNATURE_SIZE
from events.runtime.arrow import leave_pandas_out

leave_pandas_out()  # whoever reads columns comes by here first

RENAMED = {"table": "table_id", "at": "seen_at", "by": "noted_by"}
LONGS = frozenset("seq amount stake stake_returned winnings jackpot_bet".split())
FEW_WORDS = frozenset(
    "table_id type device source rulebook currency dealt_from bet card decision kind option "
    "ruling noted_by phase clause jackpot".split()
)
"""Text of which a day holds few different ones: kept as numbers into a dictionary."""

SHA256 = pa.binary(32)
SEEN_AT = pa.timestamp("us", tz="UTC")
WORD = pa.dictionary(pa.int32(), pa.string())
LIMITS = pa.list_(pa.struct([("bet", pa.string()), ("min", pa.int64()), ("max", pa.int64())]))
MOVES = pa.list_(pa.struct([("draw", pa.int32()), ("box", pa.int32()), ("hand", pa.int32())]))


def _own_fields() -> dict[str, type[Any]]:
    """Every field that an event has, once, in the order in which the contract names them."""
    return {f.name: f.base for fields in EVENT_FIELDS.values() for f in fields}


def _arrow_type(name: str, base: type[Any]) -> pa.DataType:
    if name == "limits":
        return LIMITS
    if name == "moves":
        return MOVES
    if base is bool:
        return pa.bool_()
    if base is bytes:
        return pa.binary(SIGNATURE_SIZE)
    if base is int:
        return pa.int64() if name in LONGS else pa.int32()
    return WORD if RENAMED.get(name, name) in FEW_WORDS else pa.string()


_OWN = _own_fields()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

ARROW_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field("day", pa.date32(), nullable=False),
        pa.field("table_id", WORD, nullable=False),
        pa.field("seq", pa.int64(), nullable=False),
        pa.field("round", pa.string()),
        pa.field("type", WORD, nullable=False),
        pa.field("seen_at", SEEN_AT, nullable=False),
        pa.field("device", WORD, nullable=False),
        *(pa.field(RENAMED.get(n, n), _arrow_type(n, base)) for n, base in _OWN.items()),
        pa.field("prev", SHA256, nullable=False),
        pa.field("hash", SHA256, nullable=False),
        pa.field("source", WORD, nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("arrived_at", SEEN_AT),
        pa.field("wrong_clock", pa.bool_()),
    ]
)


def records_to_table(
    day: date,
    records: Sequence[Mapping[str, Any]],
    hashes: Sequence[bytes],
    messages: Sequence[StoredMessage],
) -> pa.Table:
    """The columns of records as codec.decode_record() gives them, none of which has a problem.

    Column by column, because building a row as a Python object costs more than decoding it.
    """
    envelope: dict[str, list[Any]] = {
        "day": [day] * len(records),
        "table_id": [r["table"] for r in records],
        "seq": [r["seq"] for r in records],
        "round": [r["round"] for r in records],
        "type": [r["event"][0] for r in records],
        "seen_at": [r["at"] for r in records],
        "device": [r["device"] for r in records],
        "prev": [r["prev"] for r in records],
        "hash": list(hashes),
        "source": [m.source for m in messages],
        "partition": [m.partition for m in messages],
        "offset": [m.offset for m in messages],
        "arrived_at": [m.arrived for m in messages],
        "wrong_clock": [m.wrong_clock for m in messages],
    }
    columns = envelope | _own_columns(records)
    return pa.Table.from_arrays(
        [
            pa.array(columns[field.name], type=field.type)
            if field.name in columns
            else pa.nulls(len(records), type=field.type)
            for field in ARROW_SCHEMA
        ],
        schema=ARROW_SCHEMA,
    )


def _own_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The events' own fields, those that some event has; an event has five of the thirty."""
    columns: dict[str, list[Any]] = {}
    for kind in {r["event"][0] for r in records}:
        for field in EVENT_FIELDS[kind]:
            columns.setdefault(field.name, [None] * len(records))
    for row, record in enumerate(records):
        for name, value in record["event"][1].items():
            columns[name][row] = value
    if "limits" in columns:
        columns["limits"] = arrow_limits(columns["limits"])
    return {RENAMED.get(name, name): values for name, values in columns.items()}


def arrow_limits(values: Sequence[Any]) -> list[Any]:
    """Maps from bet to limit as lists, because a map in Arrow is harder to ask."""
    return [v and [{"bet": bet, **limit} for bet, limit in v.items()] for v in values]


def counts_at(events: pa.Table) -> Any:
    """When each event counts: `seen_at`, or `arrived_at` where its clock was wrong."""
    said: Any = events["wrong_clock"]
    wrong: Any = pc.fill_null(said, False)
    if not pc.any(wrong).as_py():
        return events["seen_at"]
    return pc.if_else(wrong, events["arrived_at"], events["seen_at"])


ORDER = ("table_id", "seq", "source", "partition", "offset")


def in_order(table: pa.Table) -> pa.Table:
    """Sorted by table and seq; events that share a seq keep the order of the log."""
    if _lies_in_order(table):
        return table.unify_dictionaries()
    table = table.unify_dictionaries().combine_chunks()
    keys = [_ranks(table, name) for name in ORDER]
    # a table's events mostly come in their order, and by one small number it is quickly sorted
    order = np.argsort(keys[0], kind="stable")
    if not _rise([key[order] for key in keys[:2]]):
        order = np.lexsort(keys[::-1])
    return table.take(fixed_array(pa.int64(), order))


def _ranks(table: pa.Table, name: str) -> Any:
    """Numbers that have the order of a column: its own, or those of its words in their order."""
    column: Any = table[name]
    if column.type != WORD:
        return column.to_numpy()
    column = column.combine_chunks()
    words = column.dictionary.to_pylist()
    rank = np.empty(len(words), np.min_scalar_type(max(len(words), 1)))
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return rank[column.indices.to_numpy()]


def _rise(keys: list[Any]) -> bool:
    """Whether each row has a later table than the one before, or the same and a higher number."""
    tables, seqs = keys
    same = tables[1:] == tables[:-1]
    return bool(((tables[1:] > tables[:-1]) | (same & (seqs[1:] > seqs[:-1]))).all())


def _lies_in_order(table: pa.Table) -> bool:
    """Whether each table follows the one before, and each number too or else the place in the log.

    A day's files come one after the other, so that most of them need no sorting when they are put
    together table by table, and to sort and copy rows is what a merge costs."""
    runs = list(stretches(table))
    if any(one.table >= other.table for one, other in pairwise(runs)):
        return False
    steps = np.diff(table["seq"].to_numpy())
    steps[[run.start - 1 for run in runs[1:]]] = 1  # where the next table begins
    if (steps < 0).any():
        return False
    twice = np.flatnonzero(steps == 0).tolist()  # few: an event that came a second time
    return len(twice) <= _FEW_TWICE and all(
        _place(table, row) <= _place(table, row + 1) for row in twice
    )


_FEW_TWICE = 1_000


def _place(table: pa.Table, row: int) -> tuple[Any, ...]:
    return tuple(table[name][row].as_py() for name in ORDER[2:])


class TableStretch(NamedTuple):
    """Rows of one table that lie together."""

    table: str
    start: int
    stop: int


def stretches(rows: pa.Table) -> Iterator[TableStretch]:
    """The stretches of rows that are sorted by table, one for each."""
    if not len(rows):
        return
    ids = rows["table_id"].cast(pa.string()).combine_chunks()
    runs: Any = pc.run_end_encode(ids)  # type: ignore[attr-defined] # the stubs lack it
    start = 0
    for table, stop in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield TableStretch(table, start, stop)
        start = stop


def table_to_records(table: pa.Table) -> list[dict[str, Any]]:
    """The records that columns were made of, row by row: for few rows, because it is slow."""
    return [_record(row) for row in table.to_pylist()]


_ENVELOPE = ("table", "round", "seq", "at", "device", "prev")


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    kind = row["type"]
    own = {f.name: row.get(RENAMED.get(f.name, f.name)) for f in EVENT_FIELDS[kind]}
    limits: Any = own.get("limits")
    if limits is not None:
        own["limits"] = {e["bet"]: {"min": e["min"], "max": e["max"]} for e in limits}
    return {n: row[RENAMED.get(n, n)] for n in _ENVELOPE} | {"event": (kind, own)}
