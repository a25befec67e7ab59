"""The evidence files that ingest is writing: few of them open, however many days come in.

A device with a wild clock can name thousands of days. Only the days written to last keep a file
open; another one is taken up again where the journal says it ends, as after a restart.
"""

from __future__ import annotations

from datetime import date

from events.archive.journal import segments_of, transaction
from events.archive.layout import make_folder
from events.archive.segment import SegmentRow, SegmentWriter
from events.archive.store import Store

OPEN_SEGMENTS = 16
RESUME_BYTES = 4 << 20
"""Taking a file up again means reading it; one that is larger is closed for good instead."""


class OpenSegments:
    """Hands out the file of a day. Files lie as the journal says whenever settle() returns."""

    def __init__(self, store: Store, codec: str) -> None:
        self._store, self._codec = store, codec
        self._writers: dict[date, SegmentWriter] = {}  # the day written to last stands last

    def recover(self) -> list[str]:
        """Cut every unfinished file back to what the journal knows; what a person must hear."""
        notices = []
        for row in segments_of(self._store.db, "closed = 0"):
            writer, notice = self._resume(row)
            if writer is not None:
                self._writers[row.day] = writer
                self.settle()
            elif notice:
                notices.append(notice)
        return notices

    def of(self, day: date) -> SegmentWriter:
        """The file that a day is written to, begun where there is none."""
        writer = self._writers.pop(day, None) or self._from_journal(day) or self._begin(day)
        self._writers[day] = writer
        return writer

    def park_others(self) -> None:
        """Within a batch: descriptors are let go of, and taken again on the next write."""
        for writer in list(self._writers.values())[:-OPEN_SEGMENTS]:
            writer.park()

    def settle(self) -> None:
        """Between batches: forget the days that were written to longest ago."""
        for day in list(self._writers)[:-OPEN_SEGMENTS]:
            if self._writers[day].length >= RESUME_BYTES:
                self.close(day)
            else:
                self._writers.pop(day).park()

    def close(self, day: date) -> None:
        """No more is written to the day's file."""
        writer = self._writers.pop(day, None)
        if writer is not None:
            writer.seal()
            self._close_in_journal(writer.id)

    def let_go(self) -> None:
        for writer in self._writers.values():
            writer.park()
        self._writers.clear()

    def _begin(self, day: date) -> SegmentWriter:
        number = self._store.next_number()
        make_folder(self._store.layout.folder(day))
        path = self._store.layout.file(day, f"evidence-{number}.avro")
        return SegmentWriter(path, number, day, self._codec)

    def _from_journal(self, day: date) -> SegmentWriter | None:
        for row in segments_of(self._store.db, "day = ? AND closed = 0", day.isoformat()):
            writer, _ = self._resume(row)  # one that has become another meanwhile: verify says so
            if writer is not None:
                return writer
        return None

    def _resume(self, row: SegmentRow) -> tuple[SegmentWriter | None, str]:
        path = self._store.layout.file(row.day, row.name)
        writer = SegmentWriter.resume(path, row)
        if writer is not None and writer.takes_more:
            return writer, ""
        self._close_in_journal(row.id)
        if writer is not None:
            writer.seal()
            return None, ""
        return None, (
            f"{path}: the evidence is not what the journal says it was; it stays as it is, a new "
            f"file is begun, and evenhand verify tells more"
        )

    def _close_in_journal(self, number: int) -> None:
        with transaction(self._store.db) as db:
            db.execute("UPDATE segments SET closed = 1 WHERE id = ?", (number,))
