"""The heads of a day's chains, for a checkpoint at the end of the day."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa

from events.archive.reader import Archive
from events.chain import Head

_TABLES_AT_A_TIME = 20


def heads_of_day(root: Path, day: date) -> dict[str, Head]:
    """The last event of every table of a day, as the archive's columns have it."""
    heads: dict[str, Head] = {}
    with Archive(root) as archive:
        tables = list(archive.tables_of(day))
        for n in range(0, len(tables), _TABLES_AT_A_TIME):
            some = tables[n : n + _TABLES_AT_A_TIME]
            found = archive.read_tables(day, some, ("table_id", "seq", "hash"))
            names = found["table_id"].cast(pa.string()).to_pylist()
            for name, seq, digest in zip(
                names, found["seq"].to_pylist(), found["hash"].to_pylist(), strict=True
            ):
                heads[str(name)] = Head(int(seq or 0), bytes(digest or b""))
    return heads
