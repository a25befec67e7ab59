"""What a table-day's record is checked against and does not hold itself: the end of the day
before, checkpoints, what lies in quarantine, and the shoe that was in play when the day began.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from checks.context import ShoeStart
from checks.late import first_openings
from checks.record.arrival import (
    ARRIVAL_COLUMNS,
    Came,
    NumberedArrival,
    arrivals,
    none_came_after,
)
from checks.record.clock import own_times
from checks.record.links import RecordLink
from checks.record.tails import NO_SIGNATURES, Signatures
from checks.rows import openings, rows_with
from checks.shoes.columns import SHOE_COLUMNS, amid_shoes, since_start
from checks.shoes.start import START_COLUMNS, starts_before
from events.archive.quarantine import Quarantined
from events.archive.reader import Archive
from events.checkpoints import Checkpoint, known_heads
from events.codec import GENESIS
from events.days import GamingDay
from events.registry import TableRegistry
from events.trust.heads import NO_KEYS, HeadKeys, SignedHead

_LINK_COLUMNS = ("table_id", "seq", "seen_at", "wrong_clock", "round", "prev", "hash")
_SIGNED_COLUMNS = (*_LINK_COLUMNS, "type", "key", "signature")
_OPENING_COLUMNS = ("seq", "type", "round")
_DAYS_BACK = 3
"""So many days back at most the cards of a shoe are counted; none is played for so long."""


@dataclass(frozen=True, slots=True)
class Around:
    """What is known around one table's day. Everything may be left out; then it is not checked.

    others: events of the table that other days hold, within the day's stretch of numbers or before
        it. The last one before the day is what its first event is checked against; a checkpoint
        stands in for events that the day before it already tells as cut off.
    known: checkpoints, number to hash. One beyond the day's last event counts as a cut-off end; it
        lies before the next event that the archive has of the table.
    quarantined: what could not be read and may belong to this table, of whatever day.
    sources: the archive's logs in the order in which they were read, by name.
    shoes: the table's events of the days before since the start of the shoes that go on this day
        (SHOE_COLUMNS), by seq. Without them such a shoe may begin anywhere.
    starts: how those shoes came into play, by name.
    openings: events of other days that opened a round within the day's stretch of numbers: number
        and round. A round that was still open then has something that came late.
    signatures: the keys of the table's gateway, and what the next day has of its signatures.
    elsewhere: where events of other days came from, if they have later numbers than some of the
        day's and came before some of them.
    """

    others: tuple[RecordLink, ...] = ()
    known: Mapping[int, bytes] = field(default_factory=dict)
    quarantined: tuple[Quarantined, ...] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    shoes: pa.Table | None = None
    starts: Mapping[str, ShoeStart] = field(default_factory=dict)
    openings: tuple[tuple[int, str], ...] = ()
    signatures: Signatures = NO_SIGNATURES
    elsewhere: tuple[NumberedArrival, ...] = ()


NOTHING = Around()


class Ends(NamedTuple):
    """What has to be known of a table's own day before the days around it are read.

    shoes: those that were in play before the day began (checks.shoes.columns.amid_shoes).
    prev: the hash that its first event names.
    unsigned: whether something comes after its last signature, or two events claim a number.
    came: its events with ARRIVAL_COLUMNS.
    """

    shoes: Collection[str] = ()
    prev: bytes | None = None
    unsigned: bool = False
    came: pa.Table | None = None


def ends_of(events: pa.Table) -> Ends:
    """The ends of a table's day, with the archive's columns and by seq."""
    if not len(events):
        return Ends()
    rows, seq = rows_with(events["type"], "HeadSigned"), events["seq"].to_numpy()
    at_end = bool(len(rows)) and int(rows[-1]) == len(events) - 1
    alone = bool(np.all(np.diff(seq) > 0))
    first: Any = events["prev"][0].as_py()
    came = events.select(list(ARRIVAL_COLUMNS))
    return Ends(amid_shoes(events), first, not (at_end and alone), came)


class Span(NamedTuple):
    """What a day has of a table: from its lowest number to its highest, and where the first that
    came was from."""

    day: date
    first: int
    last: int
    came: Came


def cut_off(span: Span, spans: Iterable[Span], known: Collection[int]) -> list[int]:
    """The checkpoints that know events after the end of a table's day which no day has, by number.

    They stay with the day whose end they show, also when later days come: the next day then tells
    only what is missing beyond them. Where another day has events on both sides of the end, the day
    of the event after the gap tells all of it.
    """
    following = []
    for other in spans:
        if other.first > span.last:
            following.append(other.first)
        elif other.last > span.last or (other.last == span.last and other.day < span.day):
            return []
    beyond = min(following, default=None)
    return sorted(s for s in known if s > span.last and (beyond is None or s < beyond))


@dataclass(frozen=True, slots=True)
class DayInJournal:
    """What the archive's journal knows around a day: whether it is over, the logs by name, what
    lies in quarantine and which day has which numbers, both by table."""

    over: bool
    sources: Mapping[str, int]
    quarantined: Mapping[str | None, list[Quarantined]]
    spans: Mapping[str, list[Span]]

    def of_tables(self, tables: Collection[str]) -> DayInJournal:
        """The part of it that these tables need."""
        bad = {t: some for t, some in self.quarantined.items() if t is None or t in tables}
        spans = {t: some for t, some in self.spans.items() if t in tables}
        return DayInJournal(self.over, self.sources, bad, spans)

    def window(self, table: str, day: date) -> range:
        """The numbers of the checkpoints that a table's day is held against: from the last before
        the day to the first after it."""
        spans = self.spans.get(table, [])
        own = next((span for span in spans if span.day == day), None)
        if own is None:
            return range(0)
        first = max((span.last for span in spans if span.last < own.first), default=0)
        after = min((span.first for span in spans if span.first > own.last), default=sys.maxsize)
        return range(first, after)


def day_in_journal(archive: Archive, day: date, table: str | None = None) -> DayInJournal:
    """Read once for all tables. `table`: where only this one will be asked for."""
    sql = "SELECT complete FROM days WHERE day = ?"
    over = archive.db.execute(sql, (day.isoformat(),)).fetchone()
    quarantined: dict[str | None, list[Quarantined]] = {}
    for q in archive.quarantine():
        quarantined.setdefault(q.table, []).append(q)
    sources = dict(archive.db.execute("SELECT source, number FROM sources").fetchall())
    spans: dict[str, list[Span]] = {}
    where, values = ("", ()) if table is None else ("WHERE table_id = ? ", (table,))
    columns = "table_id, day, first_seq, last_seq, first_source, first_partition, first_offset"
    sql = f"SELECT {columns} FROM day_tables {where}ORDER BY day"
    for name, when, first, last, *came in archive.db.execute(sql, values):
        span = Span(date.fromisoformat(when), first, last, Came(*came))
        spans.setdefault(name, []).append(span)
    return DayInJournal(over is not None and bool(over[0]), sources, quarantined, spans)


class Surroundings:
    """Gives the Around of each table of a day; what all tables share is read once.

    table: where only this one will be asked for.
    journal: what the journal says, where somebody has read it already.
    """

    def __init__(
        self,
        archive: Archive,
        day: date,
        checkpoints: Iterable[Checkpoint] = (),
        gaming_day: GamingDay = GamingDay(),  # noqa: B008 - frozen
        table: str | None = None,
        registry: TableRegistry | None = None,
        journal: DayInJournal | None = None,
    ) -> None:
        self._archive, self._day, self._gaming_day = archive, day, gaming_day
        self._registry = registry or TableRegistry()
        self._checkpoints = list(checkpoints)
        self._known = known_heads(self._checkpoints)
        told = journal or day_in_journal(archive, day, table)
        self._over, self._sources = told.over, told.sources
        self._quarantined, self._spans = told.quarantined, told.spans

    def of(self, table: str, ends: Ends = Ends()) -> Around:  # noqa: B008 - immutable
        """What is known around the day of one table, whose own ends say what has to be read."""
        spans = self._spans.get(table, [])
        own = next((span for span in spans if span.day == self._day), None)
        if own is None:
            return NOTHING
        known = self._known.get(table, {})
        here = {s: h for s, h in known.items() if own.first <= s <= own.last}
        here |= {s: known[s] for s in cut_off(own, spans, known)}
        bad = (*self._quarantined.get(table, ()), *self._quarantined.get(None, ()))
        earlier = sorted((s for s in spans if s.first < own.first), key=lambda s: -s.last)
        shoes = ends.shoes
        days = [span.day for span in earlier] if shoes else []
        keys = self._keys(table)
        return Around(
            others=self._others(table, own, known, ends.prev, keys),
            known=here,
            quarantined=bad,
            sources=self._sources,
            shoes=self._since_start(table, days, shoes),
            starts=starts_before(own.first, shoes, days, lambda day: self._starts(day, table)),
            openings=self._openings(table, own),
            signatures=self._signatures(table, own, keys, unsigned=ends.unsigned),
            elsewhere=self._elsewhere(table, own, ends.came),
        )

    def _keys(self, table: str) -> HeadKeys:
        """The keys of the table's gateway, once it has to sign."""
        known = self._registry.tables.get(table)
        keys = NO_KEYS if known is None else HeadKeys(table, known.keys)
        return keys if keys.known(self._day) else NO_KEYS

    def _signatures(self, table: str, own: Span, keys: HeadKeys, *, unsigned: bool) -> Signatures:
        """The next day is read only where the day's own signatures leave something open; one that
        holds some of the same numbers always is."""
        if not keys.keys:
            return NO_SIGNATURES
        later = [s for s in self._spans[table] if s.day != own.day and s.last > own.last]
        among = [span for span in later if span.first <= own.last]
        beyond = sorted((s for s in later if s.first > own.last), key=lambda s: s.first)
        after: list[RecordLink] = []
        for span in [*among, *(beyond[:1] if unsigned or among else [])]:
            rows = self._archive.read_tables(span.day, [table], _SIGNED_COLUMNS)
            rows = rows.filter(pc.field("seq") > own.last)
            signed = rows_with(rows["type"], "HeadSigned")
            end = int(signed[0]) + 1 if len(signed) else 0
            after += links_of(span.day, rows.slice(0, end), signed=True)
        return Signatures(keys, tuple(after), self._over)

    def _starts(self, when: date, table: str) -> pa.Table:
        return self._archive.read_tables(when, [table], START_COLUMNS)

    def _openings(self, table: str, own: Span) -> tuple[tuple[int, str], ...]:
        """Days lie within each other only where a round got something after its day, so that
        mostly nothing is read."""
        found: dict[str, int] = {}
        for span in self._spans[table]:
            if span.day != self._day and span.first < own.last and span.last > own.first:
                rows = self._archive.read_tables(span.day, [table], _OPENING_COLUMNS)
                found |= first_openings(openings(rows))
        return tuple((seq, name) for name, seq in found.items() if own.first < seq < own.last)

    def _elsewhere(
        self, table: str, own: Span, events: pa.Table | None
    ) -> tuple[NumberedArrival, ...]:
        """Another day is read only where it began to come before the last of this one did."""
        later = [s for s in self._spans[table] if s.day != own.day and s.last > own.first]
        if not later or events is None:
            return ()
        end, found = none_came_after(events, self._sources), []
        for span in (span for span in later if span.came < end):
            rows = self._archive.read_tables(span.day, [table], ARRIVAL_COLUMNS)
            rows = rows.filter(pc.field("seq") > own.first)
            found += [one for one in arrivals(rows, self._sources) if one.came < end]
        return tuple(found)

    def _since_start(
        self, table: str, days: Sequence[date], shoes: Collection[str]
    ) -> pa.Table | None:
        """The table's events before the day, back to where the last of these shoes was started."""
        parts: list[pa.Table] = []
        wanted = frozenset(shoes)
        for when in days[:_DAYS_BACK]:
            rows = self._each_once(when, table)
            if rows is None:
                return None
            part, wanted = since_start(rows, wanted)
            parts.append(part)
            if not wanted:
                break
        if not parts:
            return None
        return pa.concat_tables(parts[::-1]).unify_dictionaries().sort_by("seq")

    def _each_once(self, when: date, table: str) -> pa.Table | None:
        """What a day tells of a table's shoes, without events that came a second time; None where
        two claim one number."""
        rows = self._archive.read_tables(when, [table], SHOE_COLUMNS)
        seq = rows["seq"].to_numpy()
        first = np.r_[True, seq[1:] != seq[:-1]]
        if np.all(first):
            return rows
        hashes: Any = self._archive.read_tables(when, [table], ["hash"])["hash"].to_pylist()
        if any(hashes[row] != hashes[row - 1] for row in np.flatnonzero(~first).tolist()):
            return None
        return rows.filter(pa.array(first))

    def _others(
        self,
        table: str,
        own: Span,
        known: Mapping[int, bytes],
        prev: bytes | None,
        keys: HeadKeys,
    ) -> tuple[RecordLink, ...]:
        """What other days have among the day's events, and the last that the archive has before
        them: from a checkpoint where there is one, because reading a day of hashes is not free.

        One that was made while a forged tail was the last word says another hash than the day's
        first event; then the day before is read."""
        spans = [span for span in self._spans[table] if span.day != own.day]
        among = [span for span in spans if span.first <= own.last and span.last >= own.first]
        before = max((s for s in spans if s.last < own.first), key=lambda s: s.last, default=None)
        found: list[RecordLink] = []
        signed = bool(keys.keys)
        told = before is not None and before.last in known
        if before is not None and signed and prev is not None:
            told = told and known[before.last] == prev
        columns = _SIGNED_COLUMNS if signed else _LINK_COLUMNS
        for span in among if before is None or told else [*among, before]:
            rows = self._archive.read_tables(span.day, [table], columns)
            found += links_of(span.day, rows, signed)
        if before is not None:
            if told:
                found.append(_head(before.last, known))
            found += [_head(s, known) for s in cut_off(before, self._spans[table], known)[-1:]]
        last = max((k.seq for k in found if k.seq < own.first), default=0)
        if not last and own.first > 1:
            return (RecordLink(0, None, None, None, GENESIS), *_within(found, own.first, own.last))
        return _within(found, last, own.last)

    def tables_cut_off(self) -> list[tuple[str, int]]:
        """Tables of which the archive has no event on any day, and the last event that a checkpoint
        knows: told with the day on which the first checkpoint was written."""
        days = self._archive.days() or [self._day]
        out = []
        for table, known in sorted(self._known.items()):
            if table not in self._spans:
                at = min(c.at for c in self._checkpoints if c.table == table)
                told = [day for day in days if day <= self._gaming_day.day_of(at)]
                if self._day == (told[-1] if told else days[0]):
                    out.append((table, max(known)))
        return out

    def of_nobody(self) -> Sequence[Quarantined]:
        """What lies in quarantine for this day and names no table of the day."""
        sql = "SELECT table_id FROM day_tables WHERE day = ?"
        today = {name for (name,) in self._archive.db.execute(sql, (self._day.isoformat(),))}
        return [
            q
            for table, some in self._quarantined.items()
            for q in some
            if q.day == self._day and (table is None or table not in today)
        ]


def _head(seq: int, known: Mapping[int, bytes]) -> RecordLink:
    return RecordLink(seq, None, None, None, known[seq])


def _within(links: Iterable[RecordLink], first: int, last: int) -> tuple[RecordLink, ...]:
    return tuple(link for link in links if first <= link.seq <= last)


def links_of(day: date, columns: pa.Table, signed: bool = False) -> list[RecordLink]:
    """A day's events as links; `signed`: with the signatures, where the columns have them."""
    plain: list[Any] = [
        columns["seq"],
        own_times(columns),
        columns["round"],
        columns["prev"],
        columns["hash"],
    ]
    links = [RecordLink(*row) for row in zip(*(c.to_pylist() for c in plain), strict=True)]
    for row in rows_with(columns["type"], "HeadSigned").tolist() if signed else ():
        key, signature = (columns[name][row].as_py() for name in ("key", "signature"))
        if key is not None and signature is not None:
            links[row] = links[row]._replace(signed=SignedHead(key, signature, day))
    return links
