"""Run by the kill tests in a process of its own: an ingest in tiny steps that says when it commits.

Small limits make every kind of write happen within a few hundred messages: new segments, column
files, their merging, the end of a day.
"""

from __future__ import annotations

import resource
import sys
from datetime import datetime
from pathlib import Path

from events.archive import column_buffer, completion, writer
from events.archive.ingest import ingest
from events.log.files.log import FileLog


def main() -> None:
    home, now = Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2])
    if len(sys.argv) > 3:
        # no bytecode: Python would leave modules cut short by the limit behind for everybody
        sys.dont_write_bytecode = True
        limit = int(sys.argv[3])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    column_buffer.FLUSH_ROWS = 200
    column_buffer.MANY_FILES = 3
    completion.FEW_FILES = 2
    completion.FEW_ROWS = 5
    writer.SEGMENT_BYTES = 20_000
    with writer.ArchiveWriter(home / "archive", now=lambda: now) as archive:
        sys.stdout.write("open\n")
        sys.stdout.flush()

        def tell(_: object) -> None:
            sys.stdout.write("commit\n")
            sys.stdout.flush()

        ingest(FileLog(home / "log"), archive, batch_messages=40, progress=tell)


if __name__ == "__main__":
    main()
