"""Columns as typed events again: for holding the two against each other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from events.archive.columns import RENAMED
from events.contract import EVENT_FIELDS, build
from events.model import Envelope

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def table_to_envelopes(table: pa.Table) -> Iterator[Envelope]:
    """The typed events of a table of ARROW_SCHEMA, in its order."""
    for batch in table.to_batches(max_chunksize=8192):
        columns = {name: _plain(batch, name) for name in batch.schema.names}
        for row, kind in enumerate(columns["type"]):
            own = {f.name: columns[RENAMED.get(f.name, f.name)][row] for f in EVENT_FIELDS[kind]}
            if kind == "RoundOpened":
                own["limits"] = {
                    limit["bet"]: {"min": limit["min"], "max": limit["max"]}
                    for limit in own["limits"]
                }
            yield Envelope(
                build(kind, own),
                columns["round"][row],
                columns["table_id"][row],
                columns["seq"][row],
                columns["seen_at"][row],
                columns["device"][row],
                columns["prev"][row],
            )


def _plain(batch: pa.RecordBatch, name: str) -> list[Any]:
    """A column as Python values; times and words by way of numbers and text, which is quicker."""
    column: Any = batch.column(name)
    if name == "seen_at":
        return [_EPOCH + timedelta(microseconds=us) for us in column.cast(pa.int64()).to_pylist()]
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values
