"""What a batch says about its day: counts, times, tables, and where its rounds lie.

Counted by Arrow on the columns, because a loop over events in Python would cost as much again as
decoding them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from events.archive.columns import counts_at
from events.archive.rounds import Sighting


class TableCount(NamedTuple):
    """A table's part of a batch; partition and offset of its first event."""

    table: str
    events: int
    first_seq: int
    last_seq: int
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """One batch of one day, in figures."""

    types: dict[str, int]
    tables: list[TableCount]
    rounds: list[Sighting]
    first_us: int
    last_us: int


def summarise(table: pa.Table, blocks: Sequence[tuple[int, int]], per_block: int) -> BatchSummary:
    """The summary of a batch's columns, still in the order of its blocks."""
    at_us = counts_at(table).cast(pa.int64())
    rows = pa.array(range(table.num_rows), pa.int32())
    plain = pa.table(
        {
            "round": table["round"],
            "table": table["table_id"].cast(pa.string()),
            "seq": table["seq"],
            "at": at_us,
            "partition": table["partition"],
            "offset": table["offset"],
            "block": pc.divide(rows, pa.scalar(per_block, pa.int32())),
        }
    )
    times: Any = pc.min_max(at_us).as_py()
    types: Any = table["type"].value_counts()
    return BatchSummary(
        types={v["values"]: v["counts"] for v in types.to_pylist()},
        tables=_tables(plain),
        rounds=_rounds(plain, blocks),
        first_us=times["min"],
        last_us=times["max"],
    )


def _tables(plain: pa.Table) -> list[TableCount]:
    wanted = [("seq", "count"), ("seq", "min"), ("seq", "max"), ("offset", "min")]
    found = _grouped(plain, ["table", "partition"], wanted)
    found.sort(key=lambda r: r["offset_min"])
    out: dict[str, TableCount] = {}
    for r in found:
        name, first = r["table"], out.get(r["table"])
        if first is None:
            out[name] = TableCount(
                name, r["seq_count"], r["seq_min"], r["seq_max"], r["partition"], r["offset_min"]
            )
        else:
            out[name] = first._replace(
                events=first.events + r["seq_count"],
                first_seq=min(first.first_seq, r["seq_min"]),
                last_seq=max(first.last_seq, r["seq_max"]),
            )
    return list(out.values())


def _rounds(plain: pa.Table, blocks: Sequence[tuple[int, int]]) -> list[Sighting]:
    wanted = [("table", "min"), ("seq", "count"), ("seq", "min"), ("seq", "max"), ("at", "min"),
              ("at", "max"), ("block", "min"), ("block", "max")]  # fmt: skip
    found = _grouped(plain.filter(pc.is_valid(plain["round"])), ["round"], wanted)
    return [
        Sighting(
            r["round"], r["table_min"], r["seq_min"], r["seq_max"], r["at_min"], r["at_max"],
            r["seq_count"], blocks[r["block_min"]][0], blocks[r["block_max"]][1],
        )
        for r in found
    ]  # fmt: skip


def _grouped(table: pa.Table, by: list[str], wanted: list[Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.group_by(by).aggregate(wanted).to_pylist()
    return rows
