"""From a log into the archive: days, late events, redelivery, and logs that are not what they
were."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from events.archive import column_buffer, completion
from events.archive.errors import ArchiveError, BusyError, UnknownDayError
from events.archive.ingest import ingest
from events.archive.intake import RewrittenError
from events.archive.reader import Archive
from events.archive.writer import ArchiveWriter
from events.codec import decode
from events.gateway import Gateway
from events.log.base import Message
from events.model import (
    BetPlaced,
    JackpotRead,
    Limit,
    RoundClosed,
    RoundOpened,
    SettlementCorrected,
    TableClosed,
)
from tests.events.archive_kit import (
    DAY,
    LONG_AFTER,
    MORNING,
    ListLog,
    evidence_of,
    file_log,
    listed,
    mixed,
    play,
    take,
)

NEXT = DAY + timedelta(days=1)
OPENED = RoundOpened("pontoon-plus-rws-v5", "SH-1", 8, 7, {"initial": Limit(500, 100_000)})
TURN = MORNING + timedelta(days=1)


def test_every_message_is_kept_as_it_came(tmp_path: Path) -> None:
    sent = mixed(play("RWS-PP-01", 12), play("RWS-PP-02", 9))
    log = file_log(tmp_path, sent)
    taken = take(log, tmp_path / "archive")
    kept = evidence_of(tmp_path / "archive")
    assert [(m.key, m.value) for m in kept] == [(m.key, m.value) for m in sent]
    assert [m.offset for m in kept] == list(range(len(sent)))
    assert {m.source for m in kept} == {f"file:{log.identity}"}
    assert (taken.events, taken.rounds, taken.quarantined) == (len(sent), 21, 0)
    assert taken.days == {DAY}


def test_columns_hold_the_same_events_by_seq(tmp_path: Path) -> None:
    first, second = play("RWS-PP-01", 12), play("RWS-PP-02", 9)
    take(file_log(tmp_path, mixed(first, second)), tmp_path / "archive")
    with Archive(tmp_path / "archive") as archive:
        assert archive.days() == [DAY]
        assert archive.tables_of(DAY) == {"RWS-PP-01": len(first), "RWS-PP-02": len(second)}
        table = archive.read_table_day(DAY, "RWS-PP-02")
        assert table["seq"].to_pylist() == list(range(1, len(second) + 1))
        assert set(table["table_id"].to_pylist()) == {"RWS-PP-02"}
        both = archive.read_tables(DAY, ["RWS-PP-01", "RWS-PP-02"], ["table_id", "seq"])
        assert both.num_rows == len(first) + len(second)


def test_running_again_takes_only_what_is_new(tmp_path: Path) -> None:
    gateway = Gateway("RWS-PP-01")
    log = file_log(tmp_path, play("RWS-PP-01", 3, gateway=gateway))
    take(log, tmp_path / "archive")
    assert take(log, tmp_path / "archive").messages == 0
    more = play("RWS-PP-01", 2, MORNING + timedelta(hours=1), gateway)
    log.append(more)
    assert take(log, tmp_path / "archive").events == len(more)
    assert len(evidence_of(tmp_path / "archive")) == 25 + len(more)


def test_a_batch_may_span_days_and_a_round_stays_in_the_day_in_which_it_opened(
    tmp_path: Path,
) -> None:
    g = Gateway("RWS-PP-01")
    before, after = TURN - timedelta(seconds=1), TURN + timedelta(seconds=1)
    sent = [
        g.send(OPENED, at=before, device="console", round_="R-1"),
        g.send(
            BetPlaced(1, 1, "P1", "initial", 500, True), at=after, device="layout", round_="R-1"
        ),
        g.send(JackpotRead(100), at=after, device="jackpot"),
        g.send(RoundClosed(), at=after, device="console", round_="R-1"),
        g.send(OPENED, at=after, device="console", round_="R-2"),
        g.send(RoundClosed(), at=after, device="console", round_="R-2"),
    ]
    take(file_log(tmp_path, sent), tmp_path / "archive")
    seqs = {
        day: sorted(decode(m.value).seq or 0 for m in evidence_of(tmp_path / "archive", day))
        for day in (DAY, NEXT)
    }
    assert seqs == {DAY: [1, 2, 4], NEXT: [3, 5, 6]}


def test_a_round_keeps_its_day_across_restarts(tmp_path: Path) -> None:
    g = Gateway("RWS-PP-01")
    log = file_log(tmp_path, [g.send(OPENED, at=TURN - timedelta(seconds=1), device="console",
                                     round_="R-1")])  # fmt: skip
    take(log, tmp_path / "archive", now=TURN)
    log.append([g.send(RoundClosed(), at=TURN + timedelta(minutes=1), device="console",
                       round_="R-1")])  # fmt: skip
    take(log, tmp_path / "archive", now=LONG_AFTER)
    with Archive(tmp_path / "archive") as archive:
        assert archive.days() == [DAY]


def test_a_correction_days_later_reopens_the_day_of_its_round(tmp_path: Path) -> None:
    g = Gateway("RWS-PP-01")
    log = file_log(tmp_path, play("RWS-PP-01", 2, gateway=g))
    root = tmp_path / "archive"
    assert take(log, root).completed == {DAY}
    manifest = json.loads((root / DAY.isoformat() / "manifest.json").read_text())
    assert (manifest["revision"], manifest["complete"], manifest["reopened"]) == (1, True, [])

    late = SettlementCorrected(1, 1, "P1", "initial", 2500, 2500, 5000, "final", "miscounted")
    log.append([g.send(late, at=MORNING + timedelta(days=3), device="console",
                       round_="RWS-PP-01-000001")])  # fmt: skip
    take(log, root)
    manifest = json.loads((root / DAY.isoformat() / "manifest.json").read_text())
    assert (manifest["revision"], manifest["complete"]) == (2, True)
    (reopened,) = manifest["reopened"]
    assert reopened["why"] == "1 late event of RWS-PP-01"
    assert reopened["reopened_at"] == "2026-03-20T00:00:00.000000Z"
    with Archive(root) as archive:
        assert archive.days() == [DAY]
        assert archive.read_table_day(DAY, "RWS-PP-01").num_rows == 18


def test_a_day_is_complete_when_it_is_over_and_not_before(tmp_path: Path) -> None:
    log = file_log(tmp_path, play("RWS-PP-01", 2))
    assert take(log, tmp_path / "archive", now=MORNING + timedelta(hours=2)).completed == set()
    with Archive(tmp_path / "archive") as archive:
        assert archive.days(complete=True) == []
    assert take(log, tmp_path / "archive", now=TURN).completed == {DAY}


def test_who_follows_lets_running_rounds_end_for_an_hour(tmp_path: Path) -> None:
    g = Gateway("RWS-PP-01")
    sent = [g.send(OPENED, at=TURN - timedelta(seconds=5), device="console", round_="R-1")]
    with ArchiveWriter(tmp_path, now=lambda: TURN) as archive:
        ingest(ListLog(listed(sent)), archive, stop=lambda: True)
        assert archive.complete_days(following=True) == []
    later = TURN + completion.LET_ROUNDS_END
    with ArchiveWriter(tmp_path, now=lambda: later) as archive:
        assert archive.complete_days(following=True) == [DAY]


def test_messages_that_come_again_are_not_stored_twice(tmp_path: Path) -> None:
    sent = listed(play("RWS-PP-01", 3))
    again = [*sent[:10], *sent[4:20], *sent]
    take(ListLog(again), tmp_path)
    assert [m.offset for m in evidence_of(tmp_path)] == [m.offset for m in sent]


def test_partitions_have_positions_of_their_own(tmp_path: Path) -> None:
    one, two = listed(play("RWS-PP-01", 2), 0), listed(play("RWS-PP-02", 3), 1)
    take(ListLog(one + two[:5]), tmp_path)
    take(ListLog(one + two), tmp_path)
    assert len(evidence_of(tmp_path)) == len(one) + len(two)
    with Archive(tmp_path) as archive:
        assert archive.positions("file:made-for-a-test") == {0: len(one), 1: len(two)}


def test_offsets_that_are_gone_are_named_and_recorded(tmp_path: Path) -> None:
    sent = listed(play("RWS-PP-01", 3))
    take(ListLog(sent[:5]), tmp_path)
    taken = take(ListLog(sent[9:]), tmp_path)
    assert "offsets 5 to 8 are gone from the log" in taken.notices[0]
    with Archive(tmp_path) as archive:
        (event,) = archive.source_events()
    assert (event.kind, event.first_offset, event.last_offset) == ("gap", 5, 8)


def test_what_was_gone_before_the_first_ingest_is_named_too(tmp_path: Path) -> None:
    assert (
        "offsets 0 to 6 are gone"
        in take(ListLog(listed(play("RWS-PP-01", 3))[7:]), tmp_path).notices[0]
    )


def test_a_sparse_log_jumps_without_a_word(tmp_path: Path) -> None:
    sent = listed(play("RWS-PP-01", 3))
    assert take(ListLog(sent[:5] + sent[9:], sparse=True), tmp_path).notices == []


def test_a_log_made_anew_is_read_from_its_beginning_and_recorded(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 1)), identity="file:aaa"), tmp_path)
    taken = take(ListLog(listed(play("RWS-PP-02", 1)), identity="file:bbb"), tmp_path)
    assert taken.events == 9
    assert "another log than the one that was read before (file:aaa)" in taken.notices[0]
    with Archive(tmp_path) as archive:
        assert [e.kind for e in archive.source_events()] == ["made_anew"]


def test_a_file_log_and_a_topic_are_not_each_other_made_anew(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 1)), identity="file:aaa"), tmp_path)
    other = ListLog(listed(play("RWS-PP-02", 1)), identity="kafka:c/table.rounds/t1", sparse=True)
    assert take(other, tmp_path).notices == []


def test_a_log_that_was_rewritten_is_refused_and_recorded(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 2))), tmp_path)
    other = listed(play("RWS-PP-09", 4))
    with pytest.raises(RewrittenError, match="message 16 is not the one that was archived"):
        take(ListLog(other), tmp_path)
    with Archive(tmp_path) as archive:
        assert [e.kind for e in archive.source_events()] == ["rewritten"]
    assert len(evidence_of(tmp_path)) == 17


def test_a_damaged_part_of_the_log_is_kept_and_told_as_such(tmp_path: Path) -> None:
    sent = listed(play("RWS-PP-01", 3))
    lost = Message(0, 5, None, b"\x00broken", "log, byte 70: a block is damaged (messages 5 to 8)")
    take(ListLog([*sent[:5], lost, *sent[9:]]), tmp_path)
    with Archive(tmp_path) as archive:
        (q,) = archive.quarantine()
        (event,) = archive.source_events()
    assert (q.kind, q.offset, q.raw, q.day) == ("damage", 5, b"\x00broken", DAY)
    assert (event.kind, event.first_offset, event.last_offset) == ("damage", 6, 8)


def test_damage_that_began_before_our_place_is_kept_too(tmp_path: Path) -> None:
    sent = listed(play("RWS-PP-01", 3))
    take(ListLog(sent[:5]), tmp_path)
    lost = sent[4]._replace(key=None, value=b"rot", damage="log, byte 9: damaged")
    take(ListLog([*sent[:4], lost, *sent[8:]]), tmp_path)
    with Archive(tmp_path) as archive:
        (q,) = archive.quarantine()
    assert (q.offset, q.raw) == (5, b"rot")


def test_two_at_once_the_second_is_refused(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path), pytest.raises(BusyError, match=r"process \d+ is already taking"):
        ArchiveWriter(tmp_path)
    ArchiveWriter(tmp_path).close()


def test_follow_commits_what_comes_until_it_is_stopped(tmp_path: Path) -> None:
    sent = listed(play("RWS-PP-01", 3))
    done: list[int] = []
    with ArchiveWriter(tmp_path, now=lambda: MORNING) as archive:
        ingest(ListLog(sent), archive, follow=True, batch_messages=10,
               progress=lambda t: done.append(t.messages),
               stop=lambda: bool(done) and done[-1] == len(sent))  # fmt: skip
    assert len(evidence_of(tmp_path)) == len(sent)


def test_small_batches_do_not_leave_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_buffer, "FLUSH_AFTER_S", -1.0)
    sent = mixed(play("RWS-PP-01", 30), play("RWS-PP-02", 30))
    log = ListLog(listed(sent))
    with ArchiveWriter(tmp_path, now=lambda: MORNING) as archive:
        ingest(log, archive, batch_messages=10)
    with Archive(tmp_path) as reader:
        assert len(reader.column_files(DAY)) <= column_buffer.MANY_FILES
    take(log, tmp_path)
    with Archive(tmp_path) as reader:
        assert len(reader.column_files(DAY)) == 1
        assert reader.read_table_day(DAY, "RWS-PP-01").num_rows == 241


def test_columns_that_are_not_written_yet_are_read_from_the_evidence(tmp_path: Path) -> None:
    sent = play("RWS-PP-01", 3)
    with ArchiveWriter(tmp_path, now=lambda: MORNING) as archive:
        source = "file:made-for-a-test"
        archive.begin(source)
        archive.commit(archive.intake(source).take(listed(sent)))
        with Archive(tmp_path) as reader:
            assert reader.column_files(DAY) == []
            table = reader.read_table_day(DAY, "RWS-PP-01")
    assert table["seq"].to_pylist() == list(range(1, len(sent) + 1))
    ArchiveWriter(tmp_path, now=lambda: MORNING).close()
    with Archive(tmp_path) as reader:
        assert len(reader.column_files(DAY)) == 1
        assert reader.read_table_day(DAY, "RWS-PP-01").equals(table)


def test_a_time_outside_the_calendar_is_no_reason_to_stop(tmp_path: Path) -> None:
    g = Gateway("RWS-PP-01")
    end_of_time = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    sent = [g.send(TableClosed(), at=end_of_time, device="console"), *play("RWS-PP-02", 1)]
    with ArchiveWriter(tmp_path / "history", now=lambda: LONG_AFTER) as archive:
        taken = ingest(ListLog(listed(sent)), archive, history=True)
    assert (taken.events, taken.quarantined) == (9, 1)
    taken = take(ListLog(listed(sent)), tmp_path / "now")
    assert (taken.events, taken.quarantined) == (10, 0), "a wrong clock, and an event all the same"


def test_a_day_that_is_not_there_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 1))), tmp_path)
    with Archive(tmp_path) as archive:
        with pytest.raises(UnknownDayError, match="it has 2026-03-10 to 2026-03-10"):
            archive.tables_of(date(2026, 1, 1))
        with pytest.raises(ArchiveError, match=r"no table RWS-PP-02 \(did you mean RWS-PP-01\?\)"):
            archive.read_table_day(DAY, "RWS-PP-02")


def test_an_archive_that_lost_its_journal_is_not_begun_anew(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 1))), tmp_path)
    old = (tmp_path / "journal.sqlite").rename(tmp_path / "elsewhere")
    with pytest.raises(ArchiveError, match="journal is missing"):
        ArchiveWriter(tmp_path)
    with pytest.raises(ArchiveError, match="journal is missing"):
        Archive(tmp_path)
    old.rename(tmp_path / "journal.sqlite")
    ArchiveWriter(tmp_path).close()


def test_an_older_journal_is_refused_because_it_would_cut_off_evidence(tmp_path: Path) -> None:
    log = ListLog(listed(play("RWS-PP-01", 1)))
    take(log, tmp_path)
    old = (tmp_path / "journal.sqlite").read_bytes()
    log.append(play("RWS-PP-02", 2))
    take(log, tmp_path)
    (tmp_path / "journal.sqlite").write_bytes(old)
    with pytest.raises(ArchiveError, match="an older one would cut off evidence"):
        ArchiveWriter(tmp_path)
