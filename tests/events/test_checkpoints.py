"""Checkpoints: written as segments close, kept elsewhere, and held against the chain."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from events import model as m
from events.chain import Head
from events.checkpoints import (
    checkpoint_day,
    checkpoint_days,
    checkpoint_now,
    checkpoint_segments,
    known_heads,
    latest,
    load_checkpoints,
    write_checkpoints,
)
from events.errors import EvenhandError, InputError
from events.gateway import Gateway
from events.log.files.log import FileLog, open_file_log
from events.seal import Sealed, entry_of, seal_of
from events.settings import Settings
from tests.command import evenhand

AT = datetime(2026, 11, 15, 12, 30, tzinfo=UTC)
HEADS = {"T1": Head(5, b"a" * 32), "T2": Head(9, b"b" * 32)}


def clock() -> datetime:
    return AT


def play(log: FileLog, gateways: list[Gateway], rounds: int) -> None:
    for _ in range(rounds):
        log.append([g.send(m.BetsClosed(), at=AT, device="console", round_="R1") for g in gateways])


def test_what_is_written_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "home" / "checkpoints.jsonl"
    assert load_checkpoints(path) == []
    first = write_checkpoints(path, HEADS, "asked for", clock)
    second = checkpoint_day(path, date(2026, 11, 15), {"T1": Head(8, b"c" * 32)}, clock)
    assert load_checkpoints(path) == first + second
    assert [c.seq for c in latest(first + second).values()] == [8, 9]
    assert known_heads(first + second)["T1"] == {5: b"a" * 32, 8: b"c" * 32}
    assert json.loads(path.read_text("utf-8").splitlines()[2]) == {
        "table": "T1",
        "seq": 8,
        "head": "63" * 32,
        "at": "2026-11-15T12:30:00.000000Z",
        "reason": "gaming day 2026-11-15 ended",
    }


def test_a_table_without_events_has_no_checkpoint(tmp_path: Path) -> None:
    assert write_checkpoints(tmp_path / "c", {"T1": Head()}, "asked for", clock) == []


def test_half_a_line_of_a_killed_process_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.jsonl"
    first = write_checkpoints(path, HEADS, "asked for", clock)
    with path.open("ab") as file:
        file.write(b'{"table": "T3", "se')
    assert load_checkpoints(path) == first
    with pytest.raises(InputError, match="line 3: expected a checkpoint as JSON"):
        load_checkpoints(path, kept=True)
    second = write_checkpoints(path, HEADS, "again", clock)
    assert load_checkpoints(path) == first + second


_SEALED = (
    b'{"table": "T", "seq": 5, "head": "' + b"0" * 64 + b'", "at": "2026-11-15T12:30:00Z", '
    b'"reason": "", "first": 1, "seal": "' + b"0" * 64 + b'"}'
)
BAD = {
    b"": "expected checkpoints, found an empty file",
    b"hello": "line 1: expected a checkpoint as JSON, found 'hello'",
    b"[]": "line 1: expected a checkpoint with table, seq, head, at, reason, found '[]'",
    b'{"table": 5, "seq": 1, "head": "", "at": "", "reason": ""}': (
        "line 1: expected a table's name and a seq from 1 on"
    ),
    b'{"table": "T", "seq": 1, "head": "00", "at": "", "reason": ""}': (
        'line 1: head: expected 64 lower-case hex digits, found "00"'
    ),
    _SEALED.replace(b'"first": 1', b'"first": 6'): "first: expected a number from 1 to 5, found 6",
    _SEALED.replace(b'"seal": "0', b'"seal": "x'): "seal: expected 64 lower-case hex digits, found",
    _SEALED.replace(b'"seal"', b'"mark"'): "line 1: expected a checkpoint with table, seq, head",
}


@pytest.mark.parametrize(("content", "sentence"), BAD.items())
def test_a_kept_copy_that_is_none(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_checkpoints(path, kept=True)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)


def test_a_kept_copy_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a file of checkpoints, found none"):
        load_checkpoints(tmp_path / "none", kept=True)


def test_a_file_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way", "utf-8")
    with pytest.raises(EvenhandError, match="can't be written"):
        write_checkpoints(tmp_path / "home" / "c", HEADS, "asked for")


def test_a_seal_is_written_with_what_it_seals(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.jsonl"
    [made] = write_checkpoints(path, {"T1": Sealed(3, HEADS["T1"], b"s" * 32)}, "asked for", clock)
    assert load_checkpoints(path) == [made]
    assert [n for n in range(1, 8) if made.seals(n)] == [3, 4, 5]
    flat = json.loads(path.read_text("utf-8"))
    assert (flat["first"], flat["seq"], flat["seal"]) == (3, 5, "73" * 32)
    [bare] = write_checkpoints(path, {"T1": HEADS["T1"]}, "again", clock)
    assert not any(bare.seals(n) for n in range(1, 8))
    assert latest([made, bare]) == {"T1": made}


def test_only_the_lines_of_some_tables_are_read(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.jsonl"
    heads = {'T"1': Head(5, b"a" * 32), "T1": Head(6, b"b" * 32), "T12": Head(7, b"c" * 32)}
    made = write_checkpoints(path, heads, "asked for", clock)
    assert load_checkpoints(path, tables=["T1"]) == [c for c in made if c.table == "T1"]
    assert load_checkpoints(path, tables=['T"1', "T12"]) == [c for c in made if c.table != "T1"]
    assert load_checkpoints(path, tables=[]) == []
    flat = json.loads(path.read_text("utf-8").splitlines()[1])
    otherwise = {name: flat[name] for name in sorted(flat)}  # as another tool writes it
    (tmp_path / "kept").write_text(json.dumps(otherwise) + "\n" + path.read_text("utf-8"))
    assert len(load_checkpoints(tmp_path / "kept", kept=True, tables=["T12"])) == 1


def test_each_closed_segment_has_its_heads(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, segment_messages=10)
    log = open_file_log(settings, write=True)
    gateways = [Gateway("T1"), Gateway("T2")]
    play(log, gateways, 13)
    log.close()
    found = load_checkpoints(settings.checkpoints_file)
    assert [(c.table, c.seq, c.reason[:8]) for c in found] == [
        ("T1", 5, "segment "),
        ("T2", 5, "segment "),
        ("T1", 10, "segment "),
        ("T2", 10, "segment "),
    ]
    assert found[0].reason == f"segment {0:020d} closed"
    assert [(c.first, c.seq) for c in found if c.table == "T1"] == [(1, 5), (6, 10)]
    sent = [entry_of(m.value) for m in FileLog(settings.log_folder).read({})]
    entries = [one[1] for one in sent if one is not None and one[0] == "T1"]
    assert [c.seal for c in found if c.table == "T1"] == [
        seal_of(entries[:5]),
        seal_of(entries[5:10]),
    ]


def test_a_day_that_was_left_out_gets_its_heads_later(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.jsonl"
    first, second = date(2026, 11, 15), date(2026, 11, 16)
    checkpoint_day(path, first, HEADS, clock)
    asked: list[date] = []

    def ends_of(day: date) -> dict[str, Head]:
        asked.append(day)
        return HEADS

    for _ in range(2):
        checkpoint_days(path, [first, second], ends_of, clock)
    assert asked == [second]
    reasons = [c.reason for c in load_checkpoints(path)]
    assert reasons == ["gaming day 2026-11-15 ended"] * 2 + ["gaming day 2026-11-16 ended"] * 2


def test_a_segment_that_was_left_out_gets_its_heads_later(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, segment_messages=10)
    log = open_file_log(settings, write=True)
    play(log, [Gateway("T1")], 35)
    log.close()
    full = load_checkpoints(settings.checkpoints_file)
    assert [c.seq for c in full] == [10, 20, 30]
    lines = settings.checkpoints_file.read_text("utf-8").splitlines(keepends=True)
    settings.checkpoints_file.write_text("".join(lines[:1]), "utf-8")
    open_file_log(settings, write=True).close()
    again = load_checkpoints(settings.checkpoints_file)
    assert known_heads(again) == known_heads(full)
    assert [(c.first, c.seal) for c in again] == [(c.first, c.seal) for c in full]
    checkpoint_segments(
        settings.checkpoints_file, settings.log_folder, FileLog(settings.log_folder).marker
    )
    assert load_checkpoints(settings.checkpoints_file) == again


def test_the_command_prints_what_a_kept_copy_holds(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / ".evenhand")
    log = open_file_log(settings, write=True)
    gateway = Gateway("T1")
    play(log, [gateway], 3)
    log.close()
    none = evenhand(tmp_path, "checkpoints", "--json")
    assert (none.returncode, none.stdout) == (0, "")
    assert "no checkpoints in" in none.stderr
    done = evenhand(tmp_path, "checkpoints", "--json", "--now")
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "kept").write_text(done.stdout, "utf-8")
    [kept] = load_checkpoints(tmp_path / "kept", kept=True)
    assert (kept.table, kept.seq, kept.head) == ("T1", 3, gateway.head.hash)
    shown = evenhand(tmp_path, "checkpoints").stdout
    assert shown.startswith(f"T1  event 3  {gateway.head.hash.hex()}  ")
    assert shown.endswith(f"  asked for  seals 1 to 3  {(kept.seal or b'').hex()}\n")


def test_what_is_asked_for_seals_what_was_not_sealed_before(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, segment_messages=10)
    log = open_file_log(settings, write=True)
    gateways = [Gateway("T1")]
    play(log, gateways, 13)
    path = settings.checkpoints_file
    [now] = checkpoint_now(path, lambda: log.read({}), clock)
    assert (now.first, now.seq) == (11, 13)  # a segment closed at 10
    [again] = checkpoint_now(path, lambda: log.read({}), clock)
    assert (again.first, again.seq, again.seal) == (None, 13, None)
    play(log, gateways, 1)
    [more] = checkpoint_now(path, lambda: log.read({}), clock)
    log.close()
    assert (more.first, more.seq) == (14, 14)


def test_the_command_without_a_log(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "checkpoints", "--now")
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected a file log, found none" in done.stderr
