"""A table as the archive has it: where a watcher begins that was not there from the beginning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from checks.around import Surroundings, ends_of
from checks.in_window import BEGINNING, WindowEvent, WindowPast
from checks.record.clock import own_times
from checks.record.columns import check_record
from checks.record.links import RecordLink
from checks.rows import openings
from checks.shoes.start import starts_in
from checks.shoes.walk import TYPES, ShoeStep, ShoeWalk
from events.archive.columns import table_to_records
from events.archive.quarantine import Quarantined
from events.archive.reader import Archive
from events.bounds import micros_of
from events.codec import to_envelope
from events.days import GamingDay
from pipelines.watch.keys import WatchKeys
from pipelines.watch.table import KEEP_ROUNDS, TableWatch
from pipelines.watch.told import StandingFindings

_DAYS = 3


class ArchivePast:
    """Gives tables as they stood before a place in a log.

    before: per partition of `source` the first offset that the watcher reads itself.
    """

    def __init__(
        self,
        root: Path,
        source: str,
        before: Mapping[int, int],
        gaming_day: GamingDay,
        standing: StandingFindings,
        turned: Iterable[str] = (),
        keys: WatchKeys | None = None,
    ) -> None:
        self._root, self._source, self._before = root, source, dict(before)
        self._gaming_day, self._standing, self._turned = gaming_day, standing, frozenset(turned)
        self._keys = keys or WatchKeys()

    def __call__(self, table: str) -> TableWatch | None:
        """The table, or None where the archive has nothing of it before that place."""
        if not (self._root / "journal.sqlite").exists():
            return None
        with Archive(self._root) as archive:
            for day in _days_of(archive, table):
                events = self._cut(archive.read_tables(day, [table]))
                if len(events):
                    return self._table(archive, day, table, events)
        return None

    def tables(self) -> list[str]:
        """The tables of the archive's last day."""
        if not (self._root / "journal.sqlite").exists():
            return []
        with Archive(self._root) as archive:
            days = archive.days()
            return list(archive.tables_of(days[-1])) if days else []

    def _cut(self, events: pa.Table) -> pa.Table:
        """Without what the watcher reads in the log itself."""
        sources: Any = events["source"].cast(pa.string())
        own = np.array([s == self._source for s in sources.to_pylist()], dtype=bool)
        partition = events["partition"].to_numpy()
        until = np.array([self._before.get(int(p), 0) for p in partition], dtype=np.int64)
        later = own & (events["offset"].to_numpy() >= until)
        return events.filter(pa.array(~later)) if later.any() else events

    def _table(self, archive: Archive, day: date, table: str, events: pa.Table) -> TableWatch:
        registry = self._keys.registry
        surroundings = Surroundings(archive, day, (), self._gaming_day, table, registry)
        around = surroundings.of(table, ends_of(events))
        kept = check_record(day, events, around).events
        first = _window_start(kept)
        seqs = kept["seq"].to_numpy()
        behind = kept.filter(pa.array(seqs < first))
        past = WindowPast(last=_last(behind, around.others))
        past.starts = dict(around.starts) | dict(starts_in(day, behind))
        past.shoes = ShoeWalk(past.gaps)
        for part in (around.shoes, behind):
            for step in () if part is None else _steps(part):
                past.shoes.take(step)
        past.shoes.forget(())
        watch = TableWatch(table, past, self._standing, self._turned, self._keys)
        window = events.filter(pa.array(events["seq"].to_numpy() >= first))
        unreadable = self._unreadable(archive, table)
        for one in _in_order_of_arrival(window, unreadable, around.sources, self._keys):
            if isinstance(one, Quarantined):
                watch.take_unreadable(one, silent=True)
            else:
                watch.take(one, silent=True)
        watch.late.clear()
        return watch

    def _unreadable(self, archive: Archive, table: str) -> list[Quarantined]:
        return [
            q
            for q in archive.quarantine()
            if q.table == table
            and (q.source != self._source or q.offset < self._before.get(q.partition, 0))
        ]


def _days_of(archive: Archive, table: str) -> list[date]:
    sql = "SELECT day FROM day_tables WHERE table_id = ? ORDER BY last_seq DESC LIMIT ?"
    return [date.fromisoformat(day) for (day,) in archive.db.execute(sql, (table, _DAYS))]


def _window_start(events: pa.Table) -> int:
    """The number of the event that opened the first of the last rounds."""
    opened = sorted(openings(events))
    if len(opened) > KEEP_ROUNDS:
        return opened[-KEEP_ROUNDS][0]
    return int(events["seq"][0].as_py())


def _last(behind: pa.Table, others: Iterable[RecordLink]) -> RecordLink:
    """The event that stands before the window."""
    if not len(behind):
        return max(others, key=lambda link: link.seq, default=BEGINNING)
    row: dict[str, Any] = behind.slice(len(behind) - 1).to_pylist()[0]
    at: Any = own_times(behind)[len(behind) - 1].as_py()
    return RecordLink(row["seq"], at, row["round"], row["prev"], row["hash"])


def _steps(events: pa.Table) -> Iterable[ShoeStep]:
    plain = [
        (c.cast(pa.string()) if pa.types.is_dictionary(c.type) else c).to_pylist()
        for c in (events[name] for name in ShoeStep._fields)
    ]
    return (ShoeStep(*row) for row in zip(*plain, strict=True) if row[0] in TYPES)


def _in_order_of_arrival(
    window: pa.Table,
    unreadable: Iterable[Quarantined],
    sources: Mapping[str, int],
    keys: WatchKeys,
) -> list[WindowEvent | Quarantined]:
    came: list[tuple[tuple[int, int, int], WindowEvent | Quarantined]] = []
    names = ["source", "partition", "offset", "hash", "arrived_at", "wrong_clock"]
    places = window.select(names).to_pylist()
    for place, record in zip(places, table_to_records(window), strict=True):
        where = (sources.get(place["source"], 0), place["partition"], place["offset"])
        wrong = micros_of(place["arrived_at"]) if place["wrong_clock"] else None
        envelope = to_envelope(record)
        signed = keys.signed_head(envelope, wrong)
        one = WindowEvent(envelope, record["seq"], place["hash"], wrong, signed)
        came.append((where, one))
    first = min((where for where, _ in came), default=(0, 0, 0))
    for q in unreadable:
        where = (sources.get(q.source, 0), q.partition, q.offset)
        if where > first:
            came.append((where, q))
    return [one for _, one in sorted(came, key=lambda pair: pair[0])]
