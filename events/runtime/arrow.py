"""pyarrow without pandas.

The first list that becomes an Arrow array makes pyarrow import pandas, where it is installed, only
to ask whether the list is one of its own: half a second of processor time in every command and
every worker. It asks once, so it is asked while pandas can't be found.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pyarrow as pa


class _PandasHidden(MetaPathFinder):
    """While it is in sys.meta_path, pandas is not there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


def leave_pandas_out() -> None:
    """Arrays of lists need no pandas from here on; whoever imports it himself has it all the same,
    and `to_pandas` looks for it again."""
    if "pandas" in sys.modules:
        return
    hidden = _PandasHidden()
    sys.meta_path.insert(0, hidden)
    try:
        # the default pool would set a gigabyte of addresses aside for one number
        pa.array([0], memory_pool=pa.system_memory_pool())
    finally:
        sys.meta_path.remove(hidden)
