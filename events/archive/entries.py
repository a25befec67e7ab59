"""A table's events as seals know them: number, hash and tag of the round, from all days.

What lies in quarantine has its entry too, where its first fields can be read: a seal that a segment
of the log got at its end knows nothing of quarantine.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from events.archive.evidence import EvidenceFile, StoredMessage
from events.archive.journal import segments_of
from events.archive.reader import Archive
from events.codec import MARKER
from events.seal import Entry, entry_of, tag_of

ENTRY_COLUMNS = ("seq", "hash", "round")


class Unread(NamedTuple):
    """A message in quarantine that names its table, round and number."""

    table: str
    entry: Entry
    message: StoredMessage


def unread(archive: Archive) -> Iterator[Unread]:
    """What in quarantine has an entry."""
    columns = 'source, partition, "offset", "key", raw'
    sql = f"SELECT {columns} FROM quarantine WHERE substr(raw, 1, 2) = ? ORDER BY id"
    for row in archive.db.execute(sql, (MARKER,)):
        message = StoredMessage(*row)
        found = entry_of(message.value)
        if found is not None:
            yield Unread(*found, message)


class TableEntries:
    """The entries of one table; each day is read once, and only where it is needed."""

    def __init__(self, archive: Archive, table: str) -> None:
        self._archive, self._table = archive, table
        sql = "SELECT day, first_seq, last_seq FROM day_tables WHERE table_id = ? ORDER BY day"
        self._spans = archive.db.execute(sql, (table,)).fetchall()
        self._days: dict[str, list[Entry]] = {}
        self.unread = [found for found in unread(archive) if found.table == table]

    @property
    def last(self) -> int:
        """The number of the table's last event."""
        return max(int(last) for _, _, last in self._spans)

    def between(self, first: int, last: int) -> list[Entry]:
        """The entries from one number to another, each once and in order."""
        found = {one.entry for one in self.unread if first <= one.entry.seq <= last}
        return sorted(found.union(self._read(first, last)))

    def first_claims(self, first: int, last: int) -> list[Entry]:
        """The same without quarantine, and of several claims to a number only the first."""
        found: dict[int, Entry] = {}
        for entry in self._read(first, last):
            found.setdefault(entry.seq, entry)
        return sorted(found.values())

    def as_they_came(self, first: int, last: int) -> Iterator[list[Entry]]:
        """What the archive had of these numbers after each of its segments, from the evidence.

        An event that came late and filled a gap lies in a later segment than those around it. Only
        days that were reopened have such; the others would be read for nothing.
        """
        days = {day for day, low, high in self._spans if low <= last and high >= first}
        reopened = self._archive.db.execute("SELECT DISTINCT day FROM reopenings").fetchall()
        if days.isdisjoint(day for (day,) in reopened):
            return
        held = {one.entry for one in self.unread if first <= one.entry.seq <= last}
        found: set[Entry] = set()
        for row in sorted(segments_of(self._archive.db, "1"), key=lambda row: row.id):
            if row.day.isoformat() not in days:
                continue
            with EvidenceFile(self._archive.layout.file(row.day, row.name)) as file:
                for block in file.blocks(0, row.length):
                    entries = (entry_of(message.value) for message in block.messages)
                    mine = (e[1] for e in entries if e is not None and e[0] == self._table)
                    found.update(entry for entry in mine if first <= entry.seq <= last)
            yield sorted(found)
            if held:
                yield sorted(found | held)

    def forget(self, before: int) -> None:
        """Let go of days that end before a number: a year of a busy table is too much at once."""
        over = {day for day, _, high in self._spans if high < before}
        self._days = {day: held for day, held in self._days.items() if day not in over}

    def _read(self, first: int, last: int) -> Iterator[Entry]:
        """By day; those of a day that share a number in the order in which they came."""
        for day, low, high in self._spans:
            if low <= last and high >= first:
                yield from (e for e in self._of_day(day) if first <= e.seq <= last)

    def _of_day(self, day: str) -> list[Entry]:
        if day not in self._days:
            when = date.fromisoformat(day)
            columns = self._archive.read_tables(when, [self._table], ENTRY_COLUMNS)
            rows = zip(*(columns[name].to_pylist() for name in ENTRY_COLUMNS), strict=True)
            self._days[day] = [Entry(seq, digest, tag_of(round_)) for seq, digest, round_ in rows]
        return self._days[day]
