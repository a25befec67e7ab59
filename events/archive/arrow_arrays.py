"""Arrow arrays over numpy's, without a copy and without pa.array(), which would import pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from events.lockstep import Flags, Numbers


def buffer(values: Any) -> pa.Buffer:
    """A numpy array's bytes as Arrow takes them."""
    return pa.py_buffer(values)


def validity(valid: Flags) -> pa.Buffer | None:
    """Which rows have a value, as Arrow's bits; None: all of them."""
    return None if valid.all() else buffer(np.packbits(valid, bitorder="little"))


def fixed_array(kind: pa.DataType, values: Any, valid: Flags | None = None) -> pa.Array[Any]:
    """An Arrow array over numbers. Not by pa.array(): that imports pandas to look whether it is
    one of its own."""
    rows = len(values) if valid is None else len(valid)
    mask = None if valid is None else validity(valid)
    if kind == pa.bool_():
        data = np.packbits(values.astype(np.bool_), bitorder="little")
    elif pa.types.is_fixed_size_binary(kind):
        data = values
    else:
        data = values.astype(f"i{kind.bit_width // 8}")
    return pa.Array.from_buffers(kind, rows, [mask, buffer(data)])


def word_array(word: str, rows: int) -> pa.Array[Any]:
    """One word in every row."""
    words = pa.scalar(word, pa.string())
    return pa.DictionaryArray.from_arrays(
        fixed_array(pa.int32(), np.zeros(rows, np.int32)), pa.repeat(words, 1)
    )


def type_array(names: list[str], codes: Numbers) -> pa.Array[Any]:
    """The types' names as a dictionary in the order in which they first come."""
    found, first, places = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    words = pa.concat_arrays([pa.repeat(names[n], 1) for n in found[order].tolist()])
    return pa.DictionaryArray.from_arrays(fixed_array(pa.int32(), rank[places]), words)
