"""The streams of the live pages: so many and no more; who stands at one place looks together."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pipelines.watch.board import BoardReader

MOST_STREAMS = 200
SHARED_S = 0.25
"""So old a look may be for somebody else who stands at the same place."""


class StreamLook(NamedTuple):
    """What changed after a place, as an event of a stream, and the place after it."""

    version: int
    number: int
    text: str


class LiveStreams:
    """The open streams of a desk."""

    def __init__(self, home: Path) -> None:
        self.open = 0
        self._reader, self._lock = BoardReader(home), Lock()
        self._looks: dict[tuple[int, int | None], tuple[float, StreamLook]] = {}

    def look(self, version: int, number: int | None) -> StreamLook:
        """What is to be told to a stream that has told everything up to a place."""
        with self._lock:
            now = time.monotonic()
            fresh = {k: v for k, v in self._looks.items() if now - v[0] < SHARED_S}
            self._looks = fresh
            if (version, number) not in fresh:
                fresh[version, number] = now, self._look(version, number)
            return fresh[version, number][1]

    def _look(self, version: int, number: int | None) -> StreamLook:
        floor = self._reader.floor(version)
        last, said = self._reader.told(number)
        body = {
            "alive": floor.alive,
            "lag": floor.about.get("lag"),
            "at": floor.about.get("at"),
            "now": time.time(),
            "tables": floor.tables,
            "told": said,
        }
        text = f"id: {floor.version}-{last}\ndata: {json.dumps(body)}\n\n"
        return StreamLook(floor.version, last, text)
