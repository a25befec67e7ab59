"""The ends of a day's chains with their seals, for a checkpoint at the end of the day."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from events.archive import quarantine
from events.archive.entries import ENTRY_COLUMNS, TableEntries, unread
from events.archive.parquet import by_table
from events.archive.reader import Archive
from events.chain import Head
from events.checkpoints import QUARANTINE, of_tables
from events.seal import Sealed, hash_lines, seal_of, tag_of

_TABLES_AT_A_TIME = 20


def day_ends(root: Path, day: date) -> dict[str, Sealed]:
    """What a checkpoint at the end of a day says: each table's chain, and the quarantine so far."""
    ends = of_tables(sealed_day(root, day))
    with Archive(root) as archive:
        found = quarantine.sealed(archive.db)
    return ends if found is None else ends | {QUARANTINE: found}


def sealed_day(root: Path, day: date) -> dict[str, Sealed]:
    """Each table's events from its first of the day to its last, as the archive has them now.

    Where other days or the quarantine have events among them, these are sealed with them.
    """
    out: dict[str, Sealed] = {}
    with Archive(root) as archive:
        tables = list(archive.tables_of(day))
        entangled = _entangled(archive, day)
        for n in range(0, len(tables), _TABLES_AT_A_TIME):
            some = tables[n : n + _TABLES_AT_A_TIME]
            columns = archive.read_tables(day, some, ("table_id", *ENTRY_COLUMNS))
            for table, own in by_table(columns):
                out[table] = _sealed(archive, table, own, alone=table not in entangled)
    return out


def _entangled(archive: Archive, day: date) -> set[str]:
    """The tables of whose numbers of the day another day or the quarantine may hold some."""
    sql = (
        "SELECT own.table_id FROM day_tables own JOIN day_tables other "
        "ON other.table_id = own.table_id AND other.day <> own.day "
        "AND other.first_seq <= own.last_seq AND other.last_seq >= own.first_seq WHERE own.day = ?"
    )
    other_days = {table for (table,) in archive.db.execute(sql, (day.isoformat(),))}
    return other_days | {found.table for found in unread(archive)}


def _sealed(archive: Archive, table: str, own: pa.Table, *, alone: bool) -> Sealed:
    columns: list[list[Any]] = [own[name].to_pylist() for name in ENTRY_COLUMNS]
    seqs, hashes, rounds = columns
    first, head = seqs[0], Head(seqs[-1], hashes[-1])
    if alone and all(before < later for before, later in pairwise(seqs)):
        # an object for each event would cost as much again as all of this
        tags = map(tag_of, rounds)
        rows = zip(seqs, hashes, tags, strict=True)
        seal = hash_lines([f"{seq} {digest.hex()} {tag}" for seq, digest, tag in rows])
    else:
        seal = seal_of(TableEntries(archive, table).between(first, head.seq))
    return Sealed(first, head, seal)
