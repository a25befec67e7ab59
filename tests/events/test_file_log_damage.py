"""A damaged file log: named with its place, never taken for an empty or a shorter one."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from events.log.base import LogError, Message, Outgoing
from events.log.files.log import FileLog
from events.log.files.segment import LogBlock, Segment
from tests.command import ROOT
from tests.rights import closed_folder, without_root

VALUES = [f"message {n}".encode() for n in range(30)]


def make(folder: Path, *, per_block: int = 5, segment_messages: int = 100) -> Path:
    """A log of VALUES; the path of its first segment."""
    log = FileLog(folder, write=True, segment_messages=segment_messages)
    for n in range(0, len(VALUES), per_block):
        log.append([Outgoing(b"T", v) for v in VALUES[n : n + per_block]])
    log.close()
    return folder / f"{0:020d}.avro"


def blocks(folder: Path, path: Path) -> list[LogBlock]:
    segment = Segment(path, 0, FileLog(folder).marker)
    found = [p for p in segment.pieces(segment.start, segment.size()) if isinstance(p, LogBlock)]
    segment.close()
    return found


def read(folder: Path, start: int = 0) -> tuple[list[Message], list[str]]:
    log = FileLog(folder)
    return list(log.read({0: start})), log.warnings


def overwrite(path: Path, position: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(position)
        file.write(content)


def test_a_torn_tail_is_cut_with_a_message(tmp_path: Path) -> None:
    path = make(tmp_path)
    last = blocks(tmp_path, path)[-1]
    os.truncate(path, last.end - 20)
    found, warnings = read(tmp_path)
    assert [x.value for x in found] == VALUES[:25]
    assert len(warnings) == 1
    assert f"{path}, byte {last.position}: expected a block of messages" in warnings[0]

    log = FileLog(tmp_path, write=True)
    size = last.end - 20 - last.position
    kept = f"{path.stem}.{last.position}.torn"
    assert log.warnings == [
        f"{path}, byte {last.position}: the last {size} bytes are no whole block: a writer died "
        f"before they were acknowledged; they are cut off and kept in {kept}"
    ]
    assert (tmp_path / kept).stat().st_size == size
    log.append([Outgoing(b"T", b"after")])
    log.close()
    assert [x.value for x in read(tmp_path)[0]] == [*VALUES[:25], b"after"]
    assert read(tmp_path)[1] == []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_wherever_the_last_write_is_torn_whole_blocks_stay(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("log")
    path = make(folder)
    ends = [b.end for b in blocks(folder, path)]
    start = blocks(folder, path)[0].position
    cut = data.draw(st.integers(start, ends[-1]))
    junk = data.draw(st.binary(max_size=40))
    os.truncate(path, cut)
    with path.open("ab") as file:
        file.write(junk)
    whole = sum(end <= cut for end in ends)
    log = FileLog(folder, write=True)
    assert [x.value for x in log.read({})] == VALUES[: whole * 5]
    torn = cut - ([start, *ends][whole]) + len(junk)
    assert len(log.warnings) == (torn > 0)
    log.append([Outgoing(b"T", b"more")])
    log.close()
    assert [x.value for x in read(folder)[0]] == [*VALUES[: whole * 5], b"more"]


@settings(max_examples=80, deadline=None)
@example(segment_messages=20, byte=0, flip=8)  # the block then says that it has one message, not 5
@given(
    segment_messages=st.sampled_from((15, 20, 100)),
    byte=st.integers(0, 999),
    flip=st.integers(1, 255),
)
def test_any_changed_byte_in_a_middle_block_is_named(
    tmp_path_factory: pytest.TempPathFactory, segment_messages: int, byte: int, flip: int
) -> None:
    folder = tmp_path_factory.mktemp("log")
    path = make(folder, segment_messages=segment_messages)
    hit = blocks(folder, path)[2]
    position = hit.position + byte % (hit.end - hit.position)
    old = path.read_bytes()
    overwrite(path, position, bytes([old[position] ^ flip]))
    found, warnings = read(folder)
    good = [x for x in found if x.damage is None]
    damaged = [x for x in found if x.damage is not None]
    # a changed marker takes the next block with it: where one ends can't be told any more
    last = segment_messages == 15
    lost = range(10, 20) if position >= hit.end - 16 and not last else range(10, 15)
    assert [x.offset for x in good] == [n for n in range(30) if n not in lost]
    assert [x.value for x in good] == [v for n, v in enumerate(VALUES) if n not in lost]
    assert [x.offset for x in damaged] == [10]
    assert f"{path}, byte {hit.position}: " in str(damaged[0].damage)
    assert str(damaged[0].damage).endswith(f"(messages 10 to {lost[-1]})")
    assert damaged[0].value.startswith(path.read_bytes()[hit.position : hit.end])
    assert warnings == []
    # who took the damage in and goes on after it gets neither the damage nor a message twice
    for start in range(11, 30):
        after = [x.offset for x in read(folder, start)[0]]
        assert after == list(range(max(lost[-1] + 1, start), 30))
    # and a writer goes on at the end
    log = FileLog(folder, write=True)
    assert log.end() == {0: 30}
    log.close()


def test_a_block_cut_out_of_the_middle_is_missed(tmp_path: Path) -> None:
    path = make(tmp_path)
    hit = blocks(tmp_path, path)[2]
    content = path.read_bytes()
    path.write_bytes(content[: hit.position] + content[hit.end :])
    found, _ = read(tmp_path)
    assert [x.offset for x in found] == [*range(10), 10, *range(15, 30)]
    assert found[10].damage == (
        f"{path}, byte {hit.position}: messages before it are missing (messages 10 to 14)"
    )


def test_a_block_written_twice_is_passed_over_with_a_message(tmp_path: Path) -> None:
    path = make(tmp_path)
    hit = blocks(tmp_path, path)[2]
    content = path.read_bytes()
    path.write_bytes(content[: hit.end] + content[hit.position :])
    found, warnings = read(tmp_path)
    assert [x.value for x in found] == VALUES
    assert warnings == [
        f"{path}, byte {hit.end}: a block repeats messages from 10 on where 15 was expected; "
        f"it is passed over"
    ]


def test_bytes_between_blocks_are_named_and_cost_nothing(tmp_path: Path) -> None:
    path = make(tmp_path)
    hit = blocks(tmp_path, path)[2]
    content = path.read_bytes()
    marker = FileLog(tmp_path).marker
    path.write_bytes(content[: hit.end] + b"\x01rubbish" + marker + content[hit.end :])
    found, warnings = read(tmp_path)
    assert [x.value for x in found] == VALUES
    assert len(warnings) == 1
    assert warnings[0].endswith("no message is lost there")


def test_a_missing_segment_is_missed(tmp_path: Path) -> None:
    make(tmp_path, segment_messages=10)
    (tmp_path / f"{10:020d}.avro").unlink()
    found, _ = read(tmp_path)
    assert [x.offset for x in found] == [*range(10), 10, *range(20, 30)]
    assert found[10].damage == (
        f"{tmp_path}/{20:020d}.avro: messages before it are missing (messages 10 to 19)"
    )
    (tmp_path / f"{0:020d}.avro").unlink()
    assert [x.offset for x in read(tmp_path)[0]] == [0, *range(20, 30)]


@pytest.mark.parametrize("content", [b"", b"this is a text file\n" * 9, b"Obj\x01", bytes(500)])
@pytest.mark.parametrize("hit", [0, 10, 20])
def test_a_file_that_is_no_segment_is_damage(tmp_path: Path, hit: int, content: bytes) -> None:
    make(tmp_path, segment_messages=10)
    path = tmp_path / f"{hit:020d}.avro"
    path.write_bytes(content)
    found, _ = read(tmp_path)
    assert [x.offset for x in found if not x.damage] == [
        n for n in range(30) if not hit <= n < hit + 10
    ]
    damaged = [x for x in found if x.damage]
    assert [(x.offset, x.value) for x in damaged] == [(hit, content)]
    assert f"{path}, byte 0: expected the header of a segment, found " in str(damaged[0].damage)


def test_a_damaged_header_hides_no_block(tmp_path: Path) -> None:
    path = make(tmp_path)
    overwrite(path, 0, b"XXXX")
    found, warnings = read(tmp_path)
    assert [x.value for x in found] == VALUES
    assert warnings == [
        f"{path}, byte 0: expected the header of a segment, found b'XXXX'; no message is lost there"
    ]
    with pytest.raises(LogError, match="nothing can be written after it"):
        FileLog(tmp_path, write=True)


def test_a_segment_of_another_log_is_named(tmp_path: Path) -> None:
    make(tmp_path / "a", segment_messages=10)
    make(tmp_path / "b", segment_messages=10)
    name = f"{10:020d}.avro"
    (tmp_path / "a" / name).write_bytes((tmp_path / "b" / name).read_bytes())
    found, _ = read(tmp_path / "a")
    assert [x.damage for x in found if x.damage] == [
        f"{tmp_path}/a/{name}, byte 0: the segment belongs to another log (messages 10 to 19)"
    ]


def test_a_log_without_its_segments_is_not_empty(tmp_path: Path) -> None:
    make(tmp_path).unlink()
    with pytest.raises(LogError, match="the log has lost its segments"):
        read(tmp_path)
    with pytest.raises(LogError, match="the log has lost its segments"):
        FileLog(tmp_path, write=True)


def test_a_log_without_its_identity_is_not_empty(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "identity").unlink()
    for write in (False, True):
        with pytest.raises(LogError, match="expected the file identity"):
            FileLog(tmp_path, write=write)
    (tmp_path / "identity").write_text("no hex", "ascii")
    with pytest.raises(LogError, match="expected 32 hex digits"):
        FileLog(tmp_path)


def test_a_log_cut_behind_a_readers_back_is_noticed(tmp_path: Path) -> None:
    path = make(tmp_path)
    os.truncate(path, blocks(tmp_path, path)[2].end)
    with pytest.raises(LogError) as caught:
        read(tmp_path, 30)
    assert str(caught.value) == (
        f"{tmp_path}: the log ends at message 15, but reading is to go on at 30: it was cut "
        f"short; put the missing segments back"
    )


def test_a_folder_without_a_log(tmp_path: Path) -> None:
    with pytest.raises(LogError) as caught:
        FileLog(tmp_path / "none")
    assert str(caught.value) == (
        f"{tmp_path}/none: expected a file log, found none; evenhand simulate --to file makes one"
    )


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way", "utf-8")
    for write in (False, True):
        with pytest.raises(LogError) as caught:
            FileLog(tmp_path / "log", write=write)
        assert str(caught.value).startswith(f"{tmp_path}/log")


def test_a_folder_without_permission() -> None:
    with closed_folder() as folder:
        folder.chmod(0o555)
        with without_root(), pytest.raises(LogError, match="Permission denied"):
            FileLog(folder / "log", write=True)


FULL_DISK = """
import resource, sys
from pathlib import Path
from events.log.base import LogError, Outgoing
from events.log.files.log import FileLog

log = FileLog(Path(sys.argv[1]), write=True, codec="null")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for n in range(100):
    try:
        log.append([Outgoing(b"T", f"{n:08d}".encode() * 1000)])
    except LogError as error:
        print(n)
        print(error)
        break
try:
    log.append([Outgoing(b"T", bytes(100_000))])
except LogError as error:
    log.append([Outgoing(b"T", b"a small one still fits")])
"""


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    acknowledged, sentence = done.stdout.splitlines()
    path = tmp_path / f"{0:020d}.avro"
    assert sentence == (
        f"{path}: writing failed: File too large; the log has the first 0 of the 1 messages; "
        f"make room"
    )
    found, warnings = read(tmp_path)
    assert [x.value[:8] for x in found[:-1]] == [
        f"{n:08d}".encode() for n in range(int(acknowledged))
    ]
    assert found[-1].value == b"a small one still fits"
    assert warnings == []
