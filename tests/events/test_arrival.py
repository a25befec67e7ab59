"""When a message arrived: stored with its bytes, and what counts where a clock was wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from events.archive.ingest import ingest
from events.archive.reader import Archive
from events.archive.retry import judge_again
from events.archive.upgrade import upgrade_archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.bounds import Bounds, micros_of
from events.codec import decode
from events.gateway import Gateway
from events.log.base import Message, Outgoing
from events.log.files.log import FileLog
from events.log.files.segment import list_segments
from events.model import BetPlaced, RoundClosed, TableOpened
from tests.events.archive_kit import (
    DAY,
    MORNING,
    ListLog,
    evidence_of,
    file_log,
    listed,
    play,
    take,
)
from tests.events.first_log import write_first_log
from tests.homes.kept import unpacked

FACTORY = datetime(2010, 1, 1, tzinfo=UTC)
NOON = MORNING + timedelta(hours=6)
NOON_US = micros_of(NOON)


def arrived(messages: Sequence[Outgoing], at: datetime) -> list[Outgoing]:
    return [replace(m, arrived_us=micros_of(at)) for m in messages]


def days_of(root: Path) -> dict[date, dict[str, int]]:
    with Archive(root) as archive:
        return {day: archive.tables_of(day) for day in archive.days()}


def stored(root: Path) -> list[tuple[int | None, bool]]:
    return [(m.arrived, m.wrong_clock) for m in evidence_of(root)]


@pytest.mark.parametrize(
    ("off", "wrong"),
    [
        (timedelta(days=-400), False),
        (timedelta(days=-400, microseconds=-1), True),
        (timedelta(days=1), False),
        (timedelta(days=1, microseconds=1), True),
    ],
)
def test_the_bounds_are_counted_to_the_microsecond(
    tmp_path: Path, off: timedelta, wrong: bool
) -> None:
    sent = Gateway("T").send(TableOpened("x", "SGD"), at=NOON + off, device="console")
    take(ListLog(listed([sent])), tmp_path, now=NOON)
    assert stored(tmp_path) == [(NOON_US, wrong)]
    assert (DAY in days_of(tmp_path)) is wrong


def test_bounds_are_settings_and_what_was_decided_stays(tmp_path: Path) -> None:
    """Wider ones later do not move an event out of the day where it was filed."""
    messages = listed(play("T", 2, FACTORY))
    with ArchiveWriter(tmp_path, now=lambda: NOON) as archive:
        ingest(ListLog(messages), archive)
    wide = Bounds(clock_behind=timedelta(days=36_500))
    with ArchiveWriter(tmp_path, now=lambda: NOON, bounds=wide) as archive:
        archive.repair(DAY)
    assert list(days_of(tmp_path)) == [DAY]
    with ArchiveWriter(tmp_path / "wide", now=lambda: NOON, bounds=wide) as archive:
        ingest(ListLog(messages), archive)
    assert list(days_of(tmp_path / "wide")) == [date(2010, 1, 1)]


def test_a_wrong_clock_makes_no_day_of_its_own(tmp_path: Path) -> None:
    """Its events lie in the day of their arrival, in evidence, columns, index and manifest."""
    sent = [*play("GOOD", 3, NOON), *play("BAD", 3, FACTORY)]
    root = tmp_path / "archive"
    take(ListLog(listed(sent)), root, now=NOON)
    assert days_of(root) == {DAY: {"BAD": 25, "GOOD": 25}}
    with Archive(root) as archive:
        bad, good = (archive.read_table_day(DAY, table) for table in ("BAD", "GOOD"))
        manifest = archive.manifest(DAY)
        assert verify(archive).problems == []
        assert all(not day.problems for day in verify(archive).days)
    assert set(bad["wrong_clock"].to_pylist()) == {True}
    assert set(good["wrong_clock"].to_pylist()) == {False}
    assert set(bad["arrived_at"].to_pylist()) == {NOON}
    assert bad["seen_at"].to_pylist()[0] == FACTORY, "what the device said is kept"
    assert manifest["first_at"] == "2026-03-10T04:00:00.000000Z", "the day's own times"


def test_a_round_stays_in_its_day_when_its_clock_goes_wrong(tmp_path: Path) -> None:
    """The opening was in time: what comes after it belongs to the round's day all the same."""
    gateway = Gateway("T")
    messages = play("T", 1, NOON, gateway)[:-1]
    messages.append(gateway.send(RoundClosed(), at=FACTORY, device="console", round_="T-000001"))
    log = ListLog(listed(messages))
    take(log, tmp_path, now=NOON + timedelta(days=3))
    assert days_of(tmp_path) == {DAY: {"T": 9}}
    assert [wrong for _, wrong in stored(tmp_path)] == [False] * 8 + [True]


def test_the_log_says_when_it_arrived_else_the_first_ingest_does(tmp_path: Path) -> None:
    said = arrived(play("T", 1, NOON), NOON)
    log = file_log(tmp_path, [*said, *play("U", 1, NOON)])
    later = NOON + timedelta(hours=5)
    take(log, tmp_path / "archive", now=later)
    times = {m.key: m.arrived for m in evidence_of(tmp_path / "archive")}
    assert times == {b"T": NOON_US, b"U": micros_of(later)}
    log.close()


def test_a_time_out_of_this_world_is_no_arrival(tmp_path: Path) -> None:
    sent = [replace(m, arrived_us=2**63 - 1) for m in play("T", 1, NOON)]
    log = file_log(tmp_path, sent)
    take(log, tmp_path / "archive", now=NOON)
    assert set(stored(tmp_path / "archive")) == {(NOON_US, False)}
    log.close()


def test_history_has_no_bound_and_no_arrival(tmp_path: Path) -> None:
    messages = listed(play("T", 1, FACTORY))
    with ArchiveWriter(tmp_path, now=lambda: NOON) as archive:
        ingest(ListLog(messages), archive, history=True)
    assert set(stored(tmp_path)) == {(None, False)}
    assert list(days_of(tmp_path)) == [date(2010, 1, 1)]


def huge(at: datetime) -> Outgoing:
    bet = BetPlaced(1, 1, "P1", "initial", 2 * 10**12, True)
    return Gateway("T").send(bet, at=at, device="layout", round_="R-1")


def test_what_is_judged_again_arrived_when_it_first_arrived(tmp_path: Path) -> None:
    log = ListLog([Message(0, 0, b"T", huge(FACTORY).value)])
    take(log, tmp_path, now=NOON)
    with Archive(tmp_path) as archive:
        assert [q.day for q in archive.quarantine()] == [DAY]
    wide = Bounds(amount_cents=10**13)
    years_later = NOON + timedelta(days=900)
    with ArchiveWriter(tmp_path, now=lambda: years_later, bounds=wide) as archive:
        assert judge_again(archive).released == 1
    assert stored(tmp_path) == [(NOON_US, True)]
    assert list(days_of(tmp_path)) == [DAY]


def test_an_archive_of_the_first_format_goes_on_after_it_was_moved(tmp_path: Path) -> None:
    """Old files take no more, and what they hold has no arrival."""
    root = unpacked("v1", tmp_path).home / "archive"
    with sqlite3.connect(root / "journal.sqlite") as db:
        db.execute("UPDATE segments SET closed = 0")
    before = stored(root)
    assert set(before) == {(None, False)}
    (root / "archive.json").unlink()  # the journal was changed by hand
    upgrade_archive(root)
    sent = play("NEW", 1, datetime(2026, 11, 15, tzinfo=UTC))
    at = datetime(2026, 11, 15, 2, tzinfo=UTC)
    take(ListLog(listed(sent)), root, now=at)
    assert sorted(map(str, stored(root))) == sorted(
        map(str, [*before, *[(micros_of(at), False)] * 9])
    )
    with Archive(root) as archive:
        report = verify(archive)
    assert [p for day in report.days for p in day.problems] == []


@pytest.mark.parametrize("empty", [False, True])
def test_a_file_log_of_the_first_format_goes_on(tmp_path: Path, empty: bool) -> None:
    """Its segments stay as they are; the next message begins one that says arrivals."""
    folder = tmp_path / "log"
    old = play("T", 0 if empty else 2, NOON)[: 0 if empty else None]
    write_first_log(folder, old)
    log = FileLog(folder, write=True)
    assert [m.value for m in log.read({})] == [m.value for m in old]
    log.append(arrived(play("U", 1, NOON), NOON))
    found = list(log.read({}))
    assert [m.arrived_us for m in found] == [None] * len(old) + [NOON_US] * 9
    assert [decode(m.value).table for m in found] == ["T"] * len(old) + ["U"] * 9
    assert len(list_segments(folder)) == (1 if empty else 2)
    log.close()
