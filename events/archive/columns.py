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


ORDER = {"table_id": pa.string(), "seq": pa.int64(), "source": pa.string()}
ORDER |= {"partition": pa.int32(), "offset": pa.int64()}


def in_order(table: pa.Table) -> pa.Table:
    """Sorted by table and seq; events that share a seq keep the order of the log."""
    if _lies_in_order(table):
        return table.unify_dictionaries()
    table = table.unify_dictionaries().combine_chunks()
    # Arrow compares a dictionary's numbers, not its words, so the words are sorted as text
    plain = pa.table({name: table[name].cast(kind) for name, kind in ORDER.items()})
    order = pc.sort_indices(plain, sort_keys=[(name, "ascending") for name in ORDER])
    return table.take(order)


def _lies_in_order(table: pa.Table) -> bool:
    """Whether each table follows the one before and each number too, so that nothing shares one.

    A day's files come one after the other, so that most of them need no sorting when they are put
    together table by table, and to sort and copy rows is what a merge costs."""
    runs = list(stretches(table))
    if any(one.table >= other.table for one, other in pairwise(runs)):
        return False
    rises = np.diff(table["seq"].to_numpy()) > 0
    rises[[run.start - 1 for run in runs[1:]]] = True  # where the next table begins
    return bool(rises.all())


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
