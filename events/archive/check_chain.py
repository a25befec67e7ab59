"""Each table's chain through all days of the archive, fed in the order in which its events came.

The archive sorts events into days, and around the turn of a day, or when something comes late,
that is not the order of arrival. What came later than another day's first event is held back until
that day is walked; little is held at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from heapq import merge
from itertools import groupby
from typing import Any

import pyarrow as pa

from events.archive.reader import Archive
from events.chain import ChainLink, ChainReport, Head, QuarantinedLink, TableChain

LINK_COLUMNS = ("table_id", "seq", "prev", "hash", "source", "partition", "offset")
_LARGEST_BODY = 1 << 20
"""No event is larger; noise of megabytes needs no place in memory to be told from one."""

Arrival = tuple[int, int, int]  # the log's number, partition, offset
Arrived = tuple[Arrival, ChainLink]


class ChainWalk:
    """Feeds tables' chains day by day. `known` are kept checkpoints: per table, seq to hash."""

    def __init__(
        self, archive: Archive, known: Mapping[str, Mapping[int, bytes]], *, part: bool = False
    ) -> None:
        self._archive, self._known, self._part = archive, known, part
        self._sources: dict[str, int] = dict(
            archive.db.execute("SELECT source, number FROM sources").fetchall()
        )
        self._chains: dict[str, TableChain] = {}
        self._held: dict[str, list[Arrived]] = {}
        self._bad = _bad_bodies(archive)

    def walk(self, day: date, columns: pa.Table) -> None:
        """The rows of some tables of a day, as the evidence gives them."""
        rows = self._arrived(columns)
        for table, group in groupby(rows, key=lambda row: row[0]):
            arrived = sorted(((at, link) for _, at, link in group), key=lambda a: a[0])
            if self._part:
                arrived += self._from_other_days(day, table, arrived)
                arrived.sort(key=lambda a: a[0])
            self._feed(table, arrived, None if self._part else self._next_day_begins(day, table))

    def finish_days(self) -> None:
        """All days are walked: nothing more can come before what was held back."""
        for table in list(self._held):
            self._feed(table, [], None)

    def _arrived(self, columns: pa.Table) -> Iterator[tuple[str, Arrival, ChainLink]]:
        for batch in columns.select(list(LINK_COLUMNS)).to_batches(max_chunksize=16384):
            plain: list[Any] = [
                batch.column(n).cast(pa.string()) if n in ("table_id", "source") else
                batch.column(n) for n in LINK_COLUMNS
            ]  # fmt: skip
            for table, seq, prev, hash_, source, partition, offset in zip(
                *(column.to_pylist() for column in plain), strict=True
            ):
                number = self._sources.get(source, 0)
                yield table, (number, partition, offset), ChainLink(seq, prev, hash_)

    def _feed(self, table: str, arrived: Iterable[Arrived], limit: Arrival | None) -> None:
        chain = self._chain(table)
        held: list[Arrived] = []
        for one in merge(self._held.pop(table, []), arrived, key=lambda a: a[0]):
            if limit is not None and one[0] > limit:
                held.append(one)
            else:
                chain.feed(one[1])
        if held:
            self._held[table] = held

    def _chain(self, table: str) -> TableChain:
        if table not in self._chains:
            bad = QuarantinedLink([*self._bad.get(table, ()), *self._bad.get(None, ())])
            known = self._known.get(table, {})
            start = None if self._part else Head()
            self._chains[table] = TableChain(table, start=start, known=known, quarantined=bad)
        return self._chains[table]

    def _next_day_begins(self, day: date, table: str) -> Arrival | None:
        """Where the table's first event of any later day came from."""
        row = self._archive.db.execute(
            "SELECT first_source, first_partition, first_offset FROM day_tables "
            "WHERE table_id = ? AND day > ? ORDER BY 1, 2, 3 LIMIT 1",
            (table, day.isoformat()),
        ).fetchone()
        return None if row is None else (row[0], row[1], row[2])

    def _from_other_days(self, day: date, table: str, own: list[Arrived]) -> list[Arrived]:
        """What other days have of the same stretch of the chain, by their columns."""
        first, last = min(a[1].seq for a in own), max(a[1].seq for a in own)
        rows = self._archive.db.execute(
            "SELECT day FROM day_tables WHERE table_id = ? AND day <> ? "
            "AND first_seq <= ? AND last_seq >= ? ORDER BY day",
            (table, day.isoformat(), last, first),
        ).fetchall()
        found: list[Arrived] = []
        for (other,) in rows:
            columns = self._archive.read_tables(date.fromisoformat(other), [table], LINK_COLUMNS)
            links = ((at, link) for _, at, link in self._arrived(columns))
            found += [one for one in links if first <= one[1].seq <= last]
        return found

    def reports(self) -> list[ChainReport]:
        """What was found, by table; tables that only a checkpoint knows are cut off whole."""
        for table in self._known:
            if not self._part:
                self._chain(table)
        return [self._chains[table].report() for table in sorted(self._chains)]


def _bad_bodies(archive: Archive) -> dict[str | None, list[bytes]]:
    """What lies in quarantine and may have a place in a table's chain; None: in anybody's."""
    out: dict[str | None, list[bytes]] = {}
    for q in archive.quarantine():
        if q.kind != "damage" and len(q.raw) <= _LARGEST_BODY:
            out.setdefault(q.table, []).append(q.raw)
    return out
