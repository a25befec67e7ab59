"""Rows of a table's day picked by a word, without making an object of any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def rows_with(column: Any, word: str) -> Any:
    """The rows that have a word, in a column that keeps words as numbers."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    words = array.dictionary.to_pylist()
    if word not in words:
        return np.empty(0, dtype=np.int64)
    codes: Any = pc.fill_null(array.indices, -1)
    return np.flatnonzero(codes.to_numpy(zero_copy_only=False) == words.index(word))


def openings(events: pa.Table) -> list[tuple[int, str]]:
    """Number and round of every event that opened a round. `events`: seq, type and round."""
    found = pa.array(rows_with(events["type"], "RoundOpened"), pa.int64())
    chosen: list[Any] = [events[name].take(found) for name in ("seq", "round")]
    seqs, names = (column.to_pylist() for column in chosen)
    return [(seq, name) for seq, name in zip(seqs, names, strict=True) if name is not None]
