"""The watcher: messages of the log in, what is to be told out. No file, no clock, no thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import NamedTuple

from checks.in_window import WindowEvent
from checks.record.columns import undecodable
from events.archive.judge import judge, table_of_key, told_by
from events.archive.quarantine import Quarantined
from events.bounds import Bounds
from events.codec import body_of, hash_body, to_envelope
from events.log.base import Message
from pipelines.watch.keys import WatchKeys
from pipelines.watch.table import LateEvent, TableWatch
from pipelines.watch.told import LiveWord, StandingFindings, text_of

LONGEST_UNREADABLE = 1 << 16
"""Of a message that is no event so many bytes are kept at most; no event is half as long."""


class LatePlace(NamedTuple):
    """A late event, and where its message lies in the log."""

    event: LateEvent
    partition: int
    offset: int


class Watcher:
    """Follows a whole log. `late` is for whoever can ask the archive; they empty it.

    source: the log's name, as the archive has it.
    now_us: when a message arrives of which the log does not say it.
    past: gives the table as the archive has it up to where the watcher begins; None: begin anew.
    keys: those of the gateways.
    """

    def __init__(
        self,
        source: str,
        *,
        past: Callable[[str], TableWatch | None] = lambda table: None,
        standing: StandingFindings | None = None,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        turned: Iterable[str] = (),
        now_us: Callable[[], int] | None = None,
        keys: WatchKeys | None = None,
    ) -> None:
        self._now_us = now_us
        self.tables: dict[str, TableWatch] = {}
        self.late: list[LatePlace] = []
        self.unreadable = 0
        self._source, self._past, self._standing = source, past, standing
        self._bounds, self._turned = bounds, frozenset(turned)
        self._keys = keys or WatchKeys()

    def take(self, message: Message, *, silent: bool = False) -> list[LiveWord]:
        """One message. What it means for the rounds is told, unless it was told before (silent)."""
        record, refused = judge(message, self._bounds)
        if refused is not None:
            self.unreadable += 1
            return self._take_unreadable(self._quarantined(message, *refused), silent)
        try:
            envelope = to_envelope(record)
            wrong = self._wrong_clock(message, record["at"])
            signed = self._keys.signed_head(envelope, wrong)
            digest = hash_body(body_of(message.value))
            one = WindowEvent(envelope, record["seq"], digest, wrong, signed)
        except (OverflowError, ValueError):  # a time outside the calendar: quarantine has it
            self.unreadable += 1
            return []
        table = self.table(record["table"])
        told = table.take(one, silent=silent)
        while table.late:
            place = LatePlace(table.late.pop(), message.partition, message.offset)
            if not silent:
                self.late.append(place)
        return told

    def _wrong_clock(self, message: Message, at: datetime) -> int | None:
        """When an event arrived whose own time was none then, as ingest judges it; else None."""
        said = message.arrived_us
        if said is None:
            said = None if self._now_us is None else self._now_us()
        times = None if said is None else self._bounds.times(said)
        return None if times is None or times.first <= at <= times.last else said

    def table(self, name: str) -> TableWatch:
        """A table, taken up from the archive where it is seen for the first time."""
        found = self.tables.get(name)
        if found is None:
            found = self._past(name)
            if found is None:
                found = TableWatch(name, None, self._standing, self._turned, self._keys)
            self.tables[name] = found
        return found

    def _known(self, name: str) -> TableWatch | None:
        """A table of which there is an event: a key alone makes none."""
        found = self.tables.get(name) or self._past(name)
        if found is not None:
            self.tables[name] = found
        return found

    def day_over(
        self,
        ended: Callable[[int | None], bool],
        silent: Callable[[str], bool] = lambda table: True,
    ) -> list[LiveWord]:
        """While nothing comes: rounds of days that are over are judged as they stand, at tables
        that have fallen silent."""
        quiet = [table for name, table in self.tables.items() if silent(name)]
        return [word for table in quiet for word in table.day_over(ended)]

    def _quarantined(
        self, message: Message, kind: str, reason: str, record: Mapping[str, object] | None
    ) -> Quarantined:
        table, round_, seq, _ = told_by(dict(record) if record else None)
        return Quarantined(
            source=self._source,
            partition=message.partition,
            offset=message.offset,
            key=message.key,
            raw=message.value[:LONGEST_UNREADABLE],
            reason=reason,
            kind=kind,
            day=date.min,
            table=table or table_of_key(message.key),
            round=round_,
            seq=seq,
        )

    def _take_unreadable(self, q: Quarantined, silent: bool) -> list[LiveWord]:
        known = None if q.table is None else self._known(q.table)
        if known is not None:
            return known.take_unreadable(q, silent=silent)
        if silent:
            return []
        found = undecodable(date.min, [q], None)
        return [LiveWord("finding", f.id, f.table, f.round, text_of(f)) for f in found]
