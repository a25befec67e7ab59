"""What the house itself says that bears on a day, apart from the day's events: the registry of
tables, readings and meters in the settings, and checkpoints. A run keeps it among its inputs, so
that a day is due again when it would be audited otherwise now.

A new version of Evenhand makes no day due: whoever wants the past judged by it asks for it
(`evenhand reaudit`), because a year of days run anew is nobody's accident.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from events.archive.reader import Archive
from events.registry import RegisteredTable, load_registry
from events.settings import settings_of_home
from events.trust.heads import HeadKeys, why_void
from pipelines.warehouse.record import REGISTRY

ON_TABLES, ON_SETTINGS, ON_HEADS = (
    "registry, of this day", "readings and meters", "checkpoints, of this day",
)  # fmt: skip
_LINE = re.compile(
    rb'^\{"table": ("(?:[^"\\]|\\.)*"), "seq": (\d{1,19}), "head": "([0-9a-f]{64})"(.*)$',
    re.MULTILINE,
)


class KnownHeads(NamedTuple):
    """What somebody wrote down of one table: numbers in order, and the head at each; `=` after
    those that are sealed."""

    numbers: list[int]
    heads: dict[int, str]


class HouseWord:
    """The house's files as they are now, read once for many days. `since`: the first of them."""

    def __init__(self, archive: Archive, home: Path, since: date) -> None:
        settings = settings_of_home(home)
        self._registry = load_registry(settings.tables_file)
        self._said = [settings.plain("readings"), settings.plain("jackpots")]
        sql = "SELECT table_id, min(day) FROM day_tables GROUP BY table_id"
        self._played = {t: date.fromisoformat(day) for t, day in archive.db.execute(sql)}
        self._odd: dict[str, list[tuple[str, int, str]]] = {}
        known = _heads_now(settings.checkpoints_file)
        for table, spans in _spans(archive, since).items():
            self._note_odd(table, spans, known.get(table, KnownHeads([], {})))

    def of(self, day: date, then: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """What bears on a day, as a run keeps it. `then`: what one kept; where the registry is the
        same file, it need not be asked again."""
        now = None if self._registry is None else self._registry.sha256
        same = ON_TABLES in then and then.get(REGISTRY) == now
        return {
            ON_TABLES: then[ON_TABLES] if same else _digest(self._tables(day)),
            ON_SETTINGS: _digest(self._said),
            ON_HEADS: _digest(sorted(self._odd.get(day.isoformat(), ()))),
        }

    def _note_odd(self, table: str, spans: list[tuple[int, int, str]], known: KnownHeads) -> None:
        """The heads that others wrote down of a day's events, and those of events that the archive
        lacks after its end. Sealed ones within the day are made of the same events."""
        for place, (first, last, day) in enumerate(spans):
            end = spans[place + 1][0] if place + 1 < len(spans) else None
            begin = bisect_left(known.numbers, first)
            for seq in known.numbers[begin:]:
                if end is not None and seq >= end:
                    break
                head = known.heads[seq]
                if seq > last or not head.endswith("="):
                    self._odd.setdefault(day, []).append((table, seq, head.rstrip("=")))

    def _tables(self, day: date) -> list[Any]:
        """Of the tables that are expected or have played: what the registry says of that day."""
        if self._registry is None:
            return []
        known = self._registry.tables
        names = [t for t, first in self._played.items() if first <= day]
        names += [t for t, told in known.items() if told.expected(day)]
        return [[t, _on_day(t, known.get(t), day)] for t in sorted(set(names))]


def _spans(archive: Archive, since: date) -> dict[str, list[tuple[int, int, str]]]:
    """Per table the stretches of numbers that days hold, from a day on, by number."""
    sql = "SELECT table_id, first_seq, last_seq, day FROM day_tables WHERE day >= ?"
    out: dict[str, list[tuple[int, int, str]]] = {}
    for table, first, last, day in archive.db.execute(sql, (since.isoformat(),)):
        out.setdefault(table, []).append((first, last, day))
    return {table: sorted(spans) for table, spans in out.items()}


def _on_day(name: str, told: RegisteredTable | None, day: date) -> list[Any] | None:
    """What the audit of a day asks the registry about a table."""
    if told is None:
        return None
    if not told.stands(day):
        return []
    ends = (day, day + timedelta(days=1))  # the day's last events may be signed on the next one
    keys = [[k.id, k.public.hex(), *(why_void(k, one) for one in ends)] for k in told.keys]
    asked = HeadKeys(name, told.keys).known(day)
    return [told.expected(day), told.currency, asked, sorted(keys) if asked else []]


def _digest(plain: Any) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _heads_now(path: Path) -> Mapping[str, KnownHeads]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return {}
    return _heads(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=2)
def _heads(path: Path, size: int, changed_ns: int) -> Mapping[str, KnownHeads]:
    """Read by their shape alone, some ten times as fast as line by line: a line that is none is
    told by those who need it."""
    out: dict[str, dict[int, str]] = {}
    for name, seq, head, rest in _LINE.findall(path.read_bytes()[:size]):
        sealed = "=" if b'"seal": ' in rest else ""
        out.setdefault(json.loads(name), {})[int(seq)] = head.decode() + sealed
    return {table: KnownHeads(sorted(heads), heads) for table, heads in out.items()}
