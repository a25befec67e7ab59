"""A table-day's record as arrays: numbers, hashes, and the order in which events came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from checks.around import Around
from events.codec import GENESIS


def numbers(column: Any) -> Any:
    return column.combine_chunks().to_numpy(zero_copy_only=False)


def digests(column: Any) -> Any:
    """A column of 32-byte hashes as rows of bytes, without making an object of any."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    raw = np.frombuffer(array.buffers()[1], dtype=np.uint8)
    start = array.offset * 32
    return raw[start : start + len(array) * 32].reshape(-1, 32)


def codes(column: Any) -> tuple[Any, list[Any]]:
    """A column as numbers: of the words where it has words, else its own."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    if not pa.types.is_dictionary(array.type):
        return array.to_numpy(zero_copy_only=False), []
    return array.indices.to_numpy(zero_copy_only=False), array.dictionary.to_pylist()


def arrival_ranks(events: pa.Table, sources: Mapping[str, int]) -> Any:
    """The how many-th each event came: by log, partition and offset.

    sources: the logs in the order in which they were read, by name.
    """
    logs, names = codes(events["source"])
    read = np.array([sources.get(name, 0) for name in names], dtype=np.int64)[logs]
    partition, _ = codes(events["partition"])
    offset = numbers(events["offset"])
    rank = np.empty(len(offset), dtype=np.int64)
    rank[np.lexsort((offset, partition, read))] = np.arange(len(offset))
    return rank


def begins_well(seq: int, at: int, prev: bytes, around: Around) -> bool:
    """Whether the first event of a day goes on from what other days have of the table."""
    if seq == 1:
        return prev == GENESIS and not around.others
    if not around.others:
        return True
    if len(around.others) > 1:
        return False
    before = around.others[0]
    joins = before.seq == seq - 1 and before.hash in {None, prev}
    return joins and (before.at is None or before.at <= at)
