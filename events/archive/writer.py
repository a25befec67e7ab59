"""The archive open for writing: what ingest commits, batch by batch.

A batch's evidence is written and synced, then one transaction of the journal makes it count,
together with the log's positions, the index and the quarantine. A crash in between leaves bytes
that the journal does not know; the next writer cuts them off and reads the same messages again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from events.archive import completion, manifest, quarantine, recovery, rounds
from events.archive.about import publish_about
from events.archive.at_once import DayBatch
from events.archive.column_buffer import ColumnBuffer
from events.archive.errors import ArchiveError
from events.archive.intake import Batch, DayFinder, Intake, Position, SourceEvent
from events.archive.journal import text_of, transaction
from events.archive.layout import Layout, make_folder
from events.archive.lock import Lock
from events.archive.open_segments import OpenSegments
from events.archive.repair import Repaired, derive_again
from events.archive.rounds import RoundIndex, Stretch
from events.archive.segment import SegmentWriter
from events.archive.store import Clock, Store, utc_now
from events.archive.summary import BatchSummary, summarise
from events.bounds import Bounds
from events.days import GamingDay

BLOCK_MESSAGES = 2_000
SEGMENT_BYTES = 64 << 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Written:
    """A day's part of a batch, on the disk and not yet in the journal."""

    segment: SegmentWriter
    columns: pa.Table
    summary: BatchSummary
    stretches: list[Stretch]


class ArchiveWriter:
    """Holds the archive's lock from the moment it is made until close().

    `notices` are sentences about what was found on opening; who opens the archive shows them.
    """

    def __init__(
        self,
        root: Path,
        gaming_day: GamingDay | None = None,
        *,
        codec: str = "zstandard",
        now: Clock = utc_now,
        bounds: Bounds | None = None,
    ) -> None:
        self.root, self.gaming_day = root, gaming_day or GamingDay()
        self._bounds = bounds or Bounds()
        try:
            make_folder(root)
            self._lock = Lock(Layout(root).lock)
        except OSError as error:
            raise ArchiveError(
                f"{error.filename or root}: the archive can't be written there: {error.strerror}; "
                f"give yourself the right to write, or set EVENHAND_HOME"
            ) from None
        try:
            self._store = Store(recovery.open_or_create(Layout(root)), Layout(root), now)
            self._rounds = RoundIndex(self._store.db, self._store.layout)
            self._buffer = ColumnBuffer(self._store)
            self._segments = OpenSegments(self._store, codec)
            self.notices = recovery.recover(self._store, self._segments, self._buffer)
            manifest.publish(self._store)
        except BaseException:
            self._lock.close()
            raise

    def positions(self, source: str) -> dict[int, Position]:
        """Where to go on in a log, per partition; empty for a log that was never read."""
        rows = self._store.db.execute(
            "SELECT partition, next, last_sha256 FROM positions WHERE source = ?", (source,)
        )
        return {r[0]: Position(r[1], r[2]) for r in rows}

    def intake(self, source: str, *, sparse: bool = False, history: bool = False) -> Intake:
        """What judges the messages of a log; in a sparse one a jump in the offsets is no loss.

        history: a log of earlier years: whenever it arrives, its own times count.
        """
        return Intake(
            source,
            self.positions(source),
            self._rounds,
            self._store.db,
            DayFinder(self.gaming_day),
            self._store.now,
            bounds=self._bounds,
            sparse=sparse,
            history=history,
        )

    def begin(self, source: str) -> SourceEvent | None:
        """Take note of a log. One that takes the place of another of its kind is named."""
        db, stem = self._store.db, stem_of(source)
        rows = db.execute("SELECT source FROM sources WHERE stem = ? ORDER BY number", (stem,))
        earlier = [r[0] for r in rows]
        if source in earlier:
            return None
        event = None
        if earlier:
            text = (
                f"{source}: this is another log than the one that was read before "
                f"({earlier[-1]}); it was made anew and is read from its beginning"
            )
            event = SourceEvent(source, "made_anew", text)
        with transaction(db):
            self._store.count_commit()
            db.execute(
                "INSERT INTO sources (source, stem, first_read_at) VALUES (?, ?, ?)",
                (source, stem, self._store.now_text()),
            )
            self._note([event] if event else [])
        return event

    def commit(self, batch: Batch) -> None:
        """Make a batch part of the archive; on the disk, all of it, when this returns."""
        written = {day: self._write(day, part) for day, part in batch.days.items()}
        store = self._store
        with transaction(store.db):
            store.count_commit()
            for day, part in written.items():
                self._journal_segment(part.segment)
                self._journal_day(batch.source, day, part)
                rounds.write(store.db, part.stretches)
            self._journal_bad(batch)
            quarantine.release(
                store.db, [(batch.source, m.partition, m.offset) for m in batch.released]
            )
            self._note(batch.source_events)
            store.db.executemany(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?)",
                [(batch.source, p, *position) for p, position in batch.next.items()],
            )
        self._rounds.forget_old()
        for day, part in written.items():
            self._buffer.add(day, part.columns)
            if part.segment.length >= SEGMENT_BYTES:
                self._segments.close(day)
        self._segments.settle()
        if self._buffer.is_due():
            self.flush()

    def _write(self, day: date, part: DayBatch) -> _Written:
        segment = self._segments.of(day)
        blocks = [
            segment.append(part.messages[n : n + BLOCK_MESSAGES])
            for n in range(0, len(part.messages), BLOCK_MESSAGES)
        ]
        segment.sync()
        self._segments.park_others()
        summary = summarise(part.columns, blocks, BLOCK_MESSAGES)
        return _Written(
            segment, part.columns, summary, self._rounds.add(day, segment.id, summary.rounds)
        )

    def _journal_segment(self, s: SegmentWriter) -> None:
        self._store.db.execute(
            "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, 0, 0) ON CONFLICT (id) DO UPDATE SET "
            "length = excluded.length, sha256 = excluded.sha256, messages = excluded.messages",
            (s.id, s.day.isoformat(), s.path.name, s.length, s.sha256, s.messages),
        )

    def _journal_day(self, source: str, day: date, part: _Written) -> None:
        db, text, summary = self._store.db, day.isoformat(), part.summary
        events = sum(summary.types.values())
        tables = ", ".join(sorted(t.table for t in summary.tables)[:3])
        more = len(summary.tables) - 3
        tables += f" and {more} more tables" if more > 0 else ""
        self._touch(day, f"{_count(events, 'late event')} of {tables}")
        first, last = (text_of(_EPOCH + timedelta(microseconds=us))
                       for us in (summary.first_us, summary.last_us))  # fmt: skip
        db.execute(
            "UPDATE days SET first_at = min(coalesce(first_at, ?1), ?1), "
            "last_at = max(coalesce(last_at, ?2), ?2) WHERE day = ?3",
            (first, last, text),
        )
        db.executemany(
            "INSERT INTO day_types VALUES (?, ?, ?) "
            "ON CONFLICT (day, type) DO UPDATE SET events = events + excluded.events",
            [(text, kind, n) for kind, n in summary.types.items()],
        )
        row = db.execute("SELECT number FROM sources WHERE source = ?", (source,)).fetchone()
        db.executemany(
            "INSERT INTO day_tables VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (day, table_id) DO UPDATE SET events = events + excluded.events, "
            "first_seq = min(first_seq, excluded.first_seq), "
            "last_seq = max(last_seq, excluded.last_seq)",
            [(text, *t[:4], row[0], t.partition, t.offset) for t in summary.tables],
        )

    def _touch(self, day: date, why: str) -> None:
        """A day gets something: it changes, and where it was complete it is open again."""
        db, text, commit = self._store.db, day.isoformat(), self._store.commit
        db.execute("INSERT OR IGNORE INTO days VALUES (?, 1, 0, 0, 0, NULL, NULL)", (text,))
        db.execute("UPDATE days SET changed = ? WHERE day = ?", (commit, text))
        reopened = db.execute(
            "UPDATE days SET complete = 0, revision = revision + 1 "
            "WHERE day = ? AND complete = 1 RETURNING revision",
            (text,),
        ).fetchall()
        for (revision,) in reopened:
            values = (text, revision, self._store.now_text(), why)
            db.execute("INSERT INTO reopenings VALUES (?, ?, ?, ?)", values)

    def _journal_bad(self, batch: Batch) -> None:
        for day in {q.day for q in batch.bad}:
            self._touch(day, "a message in quarantine")
            make_folder(self._store.layout.folder(day))
        quarantine.write(self._store.db, batch.bad, self._store.now_text())

    def _note(self, events: list[SourceEvent]) -> None:
        self._store.db.executemany(
            "INSERT INTO source_events (source, partition, kind, first_offset, last_offset, day, "
            "message, noted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (e.source, e.partition, e.kind, e.first_offset, e.last_offset,
                 e.day and e.day.isoformat(), e.message, self._store.now_text())
                for e in events
            ],
        )  # fmt: skip

    def flush(self) -> None:
        """Write the columns of everything that is committed, and the manifests."""
        self._buffer.flush()
        manifest.publish(self._store)
        publish_about(self._store)

    def rest(self) -> list[date]:
        """While the log has nothing more: write what has waited long, close days that are over."""
        if self._buffer.is_due():
            self.flush()
        return self.complete_days(following=True)

    def complete_days(self, *, following: bool) -> list[date]:
        """Everything that was there is read: close the days that are over. Which ones they are."""
        days = completion.days_over(self._store, self.gaming_day, following=following)
        if days:
            self._buffer.flush()
        for day in days:
            self._segments.close(day)
            completion.complete(self._store, day)
        if days:
            self.flush()
        return days

    def repair(self, day: date) -> Repaired:
        """Make the day's columns and index again from its evidence."""
        self._buffer.flush()
        done = derive_again(self._store, day)
        if done.complete:
            completion.complete(self._store, day)
        self.flush()
        return done

    def judged_again(self, after: int, most: int) -> list[tuple[int, quarantine.Quarantined]]:
        """What lies in quarantine and may be an event now, from a number on."""
        return quarantine.judged_again(self._store.db, after, most)

    def unforwarded(self) -> list[tuple[int, quarantine.Quarantined]]:
        """What lies in quarantine and was not yet told to the dead-letter topic."""
        return list(quarantine.unforwarded(self._store.db))

    def mark_forwarded(self, numbers: list[int]) -> None:
        with transaction(self._store.db) as db:
            db.executemany(
                "UPDATE quarantine SET forwarded = 1 WHERE id = ?", [(n,) for n in numbers]
            )

    def close(self) -> None:
        """Let go of everything. What is committed stays, whether or not flush() was called."""
        self._segments.let_go()
        self._store.db.close()
        self._lock.close()

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def stem_of(source: str) -> str:
    """What a log's name has in common with that of one made anew in its place."""
    return source.rpartition("/")[0] or source.partition(":")[0]


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
