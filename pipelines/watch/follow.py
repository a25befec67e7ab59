"""Following a log: where to begin, what was told, when to ask the archive.

The position says how far was told, and stands in one transaction with what was told. What is open
is made again: each table from the archive up to where reading begins, the rest from the log.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from events.archive.ingest import source_of
from events.archive.reader import Archive
from events.errors import EvenhandError
from events.log.base import Log, Message
from events.settings import Settings
from pipelines.night.due import published_days
from pipelines.watch.again import audited_again
from pipelines.watch.board import WatchBoard
from pipelines.watch.keys import WatchKeys
from pipelines.watch.outbox import Numbered, ToldPosition, WatchError, WatchOutbox
from pipelines.watch.past import ArchivePast
from pipelines.watch.told import LiveWord
from pipelines.watch.watcher import Watcher
from replay.fold import EPOCH

TELL_EVERY_S = 0.05
"""Words that come together are made durable together."""
NOTE_EVERY_S = 0.5
ASK_EVERY_S = 1.0
MOST_ASKED = 1_000
"""Late events that the archive is asked about at a time; the others wait on the disk."""
LATE_CLOSE = timedelta(hours=1)
"""A round that is open when its day ends may still be closed for so long."""
SILENT_S = 5.0
"""A table that was heard of within so many seconds is at play, whatever its clock says."""
LOAD_PER_IDLE = 3
SHOW_EVERY_S = 0.5
LAG_EVERY_S = 5.0

Print = Callable[[Sequence[Numbered]], None]


class Follower:
    """One watcher at work on one log.

    tell: gets what was told, after it is durable.
    rounds: whether to tell how each round came out.
    board: where to show how the floor stands.
    """

    def __init__(
        self,
        settings: Settings,
        log: Log,
        outbox: WatchOutbox,
        tell: Print,
        *,
        rounds: bool = False,
        board: WatchBoard | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._log, self._outbox, self._tell = settings, log, outbox, tell
        self._rounds, self._now = rounds, now
        self._archive = settings.home / "archive"
        self._turned = frozenset(k for k, v in settings.readings.items() if v == "other")
        self.source = source_of(log)
        self.told_until = outbox.positions(self.source) or self._first_time()
        self.begin = self._begin()
        keys = WatchKeys(settings.tables_file, settings.gaming_day)
        past = ArchivePast(
            self._archive, self.source, self.begin, settings.gaming_day, outbox, self._turned, keys
        )
        self.watcher = Watcher(
            self.source,
            past=past,
            standing=outbox,
            bounds=settings.bounds,
            turned=self._turned,
            now_us=lambda: time.time_ns() // 1000,
            keys=keys,
        )
        self._to_load = past.tables()
        self._waits = outbox.waits()
        self._words: list[LiveWord] = []
        self._last: dict[int, Message] = {}
        self._flushed = self._asked = self._shown = time.monotonic()
        self._board = board
        self._heard: dict[str, float] = {}
        self._touched: set[str] = set()
        self._follow, self._cost_s = True, 0.0
        self._read: dict[int, int] = {}
        self._lag: int | None = None
        self._lag_asked, self._idling = 0.0, False

    @property
    def read(self) -> int:
        """Up to where the log was read, over all partitions."""
        return sum(self._read.values())

    # -- where to begin ------------------------------------------------------------------------

    def _first_time(self) -> dict[int, ToldPosition]:
        """What no night has audited yet is the watcher's: the archive knows where its days begin.
        Without an archive everything is."""
        if not (self._archive / "journal.sqlite").exists():
            return {}
        audited = {day.isoformat() for day in published_days(self._settings.home)}
        with Archive(self._archive) as archive:
            found = archive.positions(self.source)
            sql = (
                "SELECT day, first_partition, first_offset FROM day_tables JOIN sources "
                "ON number = first_source WHERE source = ?"
            )
            for day, partition, offset in archive.db.execute(sql, (self.source,)):
                if day not in audited:
                    found[partition] = min(found.get(partition, offset), offset)
        return {p: ToldPosition(offset, None) for p, offset in found.items()}

    def _begin(self) -> dict[int, int]:
        """Where reading begins: where was told, or where the archive ends if that is before it."""
        archived: Mapping[int, int] = {}
        if (self._archive / "journal.sqlite").exists():
            with Archive(self._archive) as archive:
                archived = archive.positions(self.source)
        first: Mapping[int, int] = getattr(self._log, "begin", dict)()
        out = {}
        for p, at in self.told_until.items():
            has = archived.get(p, 0)
            # what retention has taken from the log, the archive has
            out[p] = max(min(at.next, has), min(first.get(p, 0), has))
        return out

    # -- the walk ------------------------------------------------------------------------------

    def run(self, *, follow: bool = True, stop: Callable[[], bool] = lambda: False) -> None:
        """Follow the log until `stop` says so; without `follow` to where it ends now."""
        again = self._outbox.unprinted()
        if again:
            self._tell(again)
            self._outbox.printed(again[-1].n)
        self._follow = follow
        start = {p: max(0, offset - 1) for p, offset in self.begin.items()}
        for message in self._log.follow(start) if follow else self._log.read(start):
            if message is None:
                self._idle()
            else:
                self._take(message)
            if stop():
                break
        if not follow:
            self._end()
        self._flush()

    def _take(self, message: Message) -> None:
        partition, offset = message.partition, message.offset
        told = self.told_until.get(partition)
        if told is not None and offset == told.next - 1:
            self._same(message, told)
        if offset < self.begin.get(partition, 0):
            return
        self._read[partition] = offset + 1
        silent = told is not None and offset < told.next
        self._words += self.watcher.take(message, silent=silent)
        if not silent:
            self._last[partition] = message
            name = (message.key or b"").decode("utf-8", "replace")
            self._touched.add(name)
            if name in self.watcher.tables:
                self._heard[name] = time.time()
        waited = time.monotonic() - self._flushed
        # a disk that is slow to confirm must not hold up reading: at most a fifth of the time
        if waited > max(4 * self._cost_s, TELL_EVERY_S if self._words else NOTE_EVERY_S):
            self._flush()
            self._ask_archive()
            self._show()

    def _same(self, message: Message, told: ToldPosition) -> None:
        """The message before our place must be the one that was there."""
        found = hashlib.sha256(message.value).digest()
        if told.sha256 is not None and message.damage is None and found != told.sha256:
            raise WatchError(
                f"{self.source}, partition {message.partition}: message {message.offset} is not "
                f"the one up to which was told: the log was rewritten; watch a log made anew under "
                f"another --name"
            )

    def _idle(self) -> None:
        """Nothing comes at the moment."""
        self._flush()
        for name in self._to_load[:LOAD_PER_IDLE]:
            self.watcher.table(name)
            self._touched.add(name)
        del self._to_load[:LOAD_PER_IDLE]
        if not self._to_load:
            self._words += self.watcher.day_over(self._ended, self._silent)
        self._ask_archive()
        self._flush()
        self._idling = True
        self._show()

    def _end(self) -> None:
        """The end of what there is to read."""
        self._asked = 0.0
        while self._to_load:
            self._idle()
        self._idle()

    def _ended(self, opened_us: int | None) -> bool:
        """Whether a round of that moment belongs to a day that is over."""
        if opened_us is None:
            return True
        try:
            day = self._settings.gaming_day.day_of(EPOCH + timedelta(microseconds=opened_us))
            return self._now() >= self._settings.gaming_day.end_of(day) + LATE_CLOSE
        except (OverflowError, ValueError):
            return True

    def _silent(self, table: str) -> bool:
        return not self._follow or time.time() - self._heard.get(table, 0.0) > SILENT_S

    def _ask_archive(self) -> None:
        """Late events that the archive has by now are looked at in it."""
        if not self._waits or time.monotonic() - self._asked < ASK_EVERY_S:
            return
        self._asked = time.monotonic()
        if not (self._archive / "journal.sqlite").exists():
            return
        with Archive(self._archive) as archive:
            has = archive.positions(self.source)
        while ready := self._outbox.ready(has, MOST_ASKED):
            for table, seqs in ready.items():
                self._ask_about(table, seqs)
        self._waits = self._outbox.waits()

    def _ask_about(self, table: str, seqs: list[int]) -> None:
        self._flush()
        known = self.watcher.table(table)
        words = audited_again(self._settings, table, seqs, known.rounds, self._outbox, self._turned)
        self._print(self._outbox.commit(words, self.source, {}, (), [(table, s) for s in seqs]))

    # -- showing -------------------------------------------------------------------------------

    def _show(self) -> None:
        """How the floor stands goes onto the board, at most so often."""
        began = time.monotonic()
        if self._board is None or began - self._shown < SHOW_EVERY_S:
            return
        self._shown = began
        tables = {n: self.watcher.tables[n] for n in self._touched if n in self.watcher.tables}
        self._touched.clear()
        self._board.write(tables, self._heard, self._lag_now())
        looked_at = [t for n in self._board.wanted() if (t := self.watcher.tables.get(n))]
        if looked_at:
            self._board.write_play(looked_at)

    def _lag_now(self) -> int | None:
        """How many messages of the log are still to be read; None where that would cost too much
        to ask: a file log says it by falling idle."""
        idle, self._idling = self._idling, False
        if idle or self.source.startswith("file:"):
            return 0 if idle else None
        if time.monotonic() - self._lag_asked > LAG_EVERY_S:
            self._lag_asked = time.monotonic()
            with contextlib.suppress(EvenhandError):  # a broker that is away is told of elsewhere
                ends = self._log.end()
                self._lag = sum(max(0, end - self._read.get(p, 0)) for p, end in ends.items())
        return self._lag

    # -- telling -------------------------------------------------------------------------------

    def _flush(self) -> None:
        self._flushed = time.monotonic()
        if not (self._words or self._last or self.watcher.late):
            return
        words = [w for w in self._words if self._rounds or w.what != "round"]
        places = {
            p: ToldPosition(m.offset + 1, hashlib.sha256(m.value).digest())
            for p, m in self._last.items()
        }
        late, self.watcher.late = self.watcher.late, []
        began = time.monotonic()
        told = self._outbox.commit(words, self.source, places, late)
        self._waits = self._waits or bool(late)
        self._words, self._last = [], {}
        self._print(told)
        self._flushed = time.monotonic()
        self._cost_s = self._flushed - began

    def _print(self, told: Sequence[Numbered]) -> None:
        if told:
            self._tell(told)
            self._outbox.printed(told[-1].n)
