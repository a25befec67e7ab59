"""What a table-day's record is checked against and does not hold itself: the end of the day
before, checkpoints, what lies in quarantine, and the shoe that was in play when the day began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from checks.links import Link
from checks.shoes_columns import SHOE_COLUMNS, since_start
from events.archive.quarantine import Quarantined
from events.archive.reader import Archive
from events.checkpoints import Checkpoint, known_heads

_LINK_COLUMNS = ("table_id", "seq", "seen_at", "round", "prev", "hash")
_DAYS_BACK = 3
"""So many days back at most the start of a shoe is looked for; none is played for so long."""


@dataclass(frozen=True, slots=True)
class Around:
    """What is known around one table's day. Everything may be left out; then it is not checked.

    others: events of the table that other days hold, within the day's stretch of numbers or right
        before it. The last one before the day is what its first event is checked against.
    known: checkpoints, number to hash. One beyond the day's last event counts as a cut-off end, so
        those beyond are named only where no later day has the table.
    quarantined: what could not be read and may belong to this table, of whatever day.
    sources: the archive's logs in the order in which they were read, by name.
    shoes: the table's events of the days before since the start of the shoes that go on this day
        (SHOE_COLUMNS), by seq. Without them such a shoe may begin anywhere.
    """

    others: tuple[Link, ...] = ()
    known: Mapping[int, bytes] = field(default_factory=dict)
    quarantined: tuple[Quarantined, ...] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    shoes: pa.Table | None = None


NOTHING = Around()


class Surroundings:
    """Gives the Around of each table of a day; what all tables share is read once."""

    def __init__(self, archive: Archive, day: date, checkpoints: Iterable[Checkpoint] = ()) -> None:
        self._archive, self._day = archive, day
        self._known = known_heads(checkpoints)
        self._quarantined: dict[str | None, list[Quarantined]] = {}
        for q in archive.quarantine():
            self._quarantined.setdefault(q.table, []).append(q)
        self._sources: dict[str, int] = dict(
            archive.db.execute("SELECT source, number FROM sources").fetchall()
        )
        self._spans: dict[str, list[tuple[date, int, int]]] = {}
        sql = "SELECT table_id, day, first_seq, last_seq FROM day_tables ORDER BY day"
        for table, when, first, last in archive.db.execute(sql):
            self._spans.setdefault(table, []).append((date.fromisoformat(when), first, last))

    def of(self, table: str, shoes: Collection[str] = ()) -> Around:
        """What is known around the day of one table. `shoes` are those that were in play before the
        day began (checks.shoes_columns.amid_shoes); most days have none, and then none are read."""
        spans = self._spans.get(table, [])
        own = next(((first, last) for when, first, last in spans if when == self._day), None)
        if own is None:
            return NOTHING
        first, last = own
        end = max(span[2] for span in spans)
        known = self._known.get(table, {})
        here = {s: h for s, h in known.items() if first <= s <= last or (last == end and s > end)}
        bad = (*self._quarantined.get(table, ()), *self._quarantined.get(None, ()))
        others = self._others(table, first, last, known)
        before = self._since_start(table, first, shoes) if shoes else None
        return Around(others, here, bad, self._sources, before)

    def _since_start(self, table: str, first: int, shoes: Collection[str]) -> pa.Table | None:
        """The table's events before the day, back to where the last of these shoes was started."""
        parts: list[pa.Table] = []
        wanted = frozenset(shoes)
        earlier = sorted((s for s in self._spans[table] if s[1] < first), key=lambda s: -s[2])
        for when, _, _ in earlier[:_DAYS_BACK]:
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
        self, table: str, first: int, last: int, known: Mapping[int, bytes]
    ) -> tuple[Link, ...]:
        """From a checkpoint where there is one, because reading a day of hashes is not free."""
        found: list[Link] = []
        before = first - 1
        if before in known:
            found.append(Link(before, None, None, None, known[before]))
        for when, low, high in self._spans[table]:
            if when == self._day or high < before or low > last:
                continue
            if high > before or before not in known:
                links = _links(self._archive.read_tables(when, [table], _LINK_COLUMNS))
                found += [k for k in links if max(first, before) <= k.seq <= last]
                if before not in known:
                    found += [k for k in links if k.seq == before]
        return tuple(found)

    def tables_cut_off(self) -> list[tuple[str, int, int]]:
        """Tables without an event this day whose record ends before a checkpoint: table, its last
        event (0 where it has none), and the event that the checkpoint knows."""
        out = []
        for table, known in sorted(self._known.items()):
            spans = self._spans.get(table, [])
            end = max((span[2] for span in spans), default=0)
            today = any(when == self._day for when, _, _ in spans)
            later = any(when > self._day for when, _, _ in spans)
            if not today and not later and known and max(known) > end:
                out.append((table, end, max(known)))
        return out

    def of_nobody(self) -> Sequence[Quarantined]:
        """What lies in quarantine for this day and names no table of the day."""
        today = {t for t, spans in self._spans.items() if any(s[0] == self._day for s in spans)}
        return [
            q
            for table, some in self._quarantined.items()
            for q in some
            if q.day == self._day and (table is None or table not in today)
        ]


def _links(columns: pa.Table) -> list[Link]:
    plain: list[Any] = [
        columns["seq"],
        columns["seen_at"].cast(pa.int64()),
        columns["round"],
        columns["prev"],
        columns["hash"],
    ]
    return [Link(*row) for row in zip(*(c.to_pylist() for c in plain), strict=True)]
