"""Events of very many days in one log: descriptors and memory do not follow the days."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from events.archive import column_buffer
from events.archive.ingest import Taken, ingest
from events.archive.open_segments import OPEN_SEGMENTS
from events.archive.reader import Archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import TableOpened
from tests.events.archive_kit import DAY, LONG_AFTER, MORNING, ListLog, evidence_of, listed

DAYS = 50


def one_event_a_day(gateway: Gateway, days: int = DAYS) -> list[Outgoing]:
    opened = TableOpened("pontoon-plus-rws-v5", "SGD")
    return [
        gateway.send(opened, at=MORNING - timedelta(days=n), device="console") for n in range(days)
    ]


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough


@contextmanager
def few_descriptors(more: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(n) for n in os.listdir("/proc/self/fd"))  # noqa: PTH208
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("batch", [7, 5_000])
def test_every_event_of_another_day(tmp_path: Path, batch: int) -> None:
    gateway = Gateway("RWS-PP-01")
    sent = one_event_a_day(gateway) + one_event_a_day(gateway)  # and each day a second time
    log, before, seen = ListLog(listed(sent)), open_files(), []

    def look(_: Taken) -> None:
        seen.append(open_files() - before)

    with few_descriptors(OPEN_SEGMENTS + 20), ArchiveWriter(tmp_path, now=lambda: LONG_AFTER) as a:
        ingest(log, a, batch_messages=batch, progress=look)
    assert max(seen) <= OPEN_SEGMENTS + 10
    assert {m.value for m in evidence_of(tmp_path)} == {m.value for m in sent}
    with Archive(tmp_path) as archive:
        assert archive.days(complete=True) == [DAY - timedelta(days=n) for n in range(DAYS)][::-1]
        assert verify(archive).is_well


def test_a_restart_takes_up_as_many_days_with_few_descriptors(tmp_path: Path) -> None:
    gateway = Gateway("RWS-PP-01")
    sent = one_event_a_day(gateway)
    early = MORNING - timedelta(days=DAYS)  # no day is over yet
    with ArchiveWriter(tmp_path, now=lambda: early) as archive:
        ingest(ListLog(listed(sent)), archive)
    sent += one_event_a_day(gateway)
    with few_descriptors(OPEN_SEGMENTS + 20), ArchiveWriter(tmp_path, now=lambda: LONG_AFTER) as a:
        assert a.notices == []
        ingest(ListLog(listed(sent)), a)
    assert {m.value for m in evidence_of(tmp_path)} == {m.value for m in sent}
    with Archive(tmp_path) as archive:
        assert verify(archive).is_well


def test_columns_that_wait_are_counted_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_buffer, "FLUSH_PARTS", 10)
    waiting: list[int] = []
    with ArchiveWriter(tmp_path, now=lambda: LONG_AFTER) as archive:
        log = ListLog(listed(one_event_a_day(Gateway("RWS-PP-01"), 40)))
        ingest(log, archive, batch_messages=5,
               progress=lambda _: waiting.append(len(archive._buffer._parts)))  # fmt: skip
    assert 0 < max(waiting) <= 10
