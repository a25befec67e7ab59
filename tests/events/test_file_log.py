"""The file log: what was appended comes back, in order, over segments, restarts and readers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.log.base import Log, LogError, Message, Outgoing
from events.log.files.log import FileLog

outgoing = st.builds(Outgoing, st.binary(max_size=8), st.binary(max_size=300))


def numbered(first: int, count: int, size: int = 20) -> list[Outgoing]:
    return [Outgoing(b"T", f"{n:08d}".encode() * (size // 8)) for n in range(first, first + count)]


def write(folder: Path, *batches: Sequence[Outgoing], **options: int | str) -> None:
    log = FileLog(folder, write=True, **options)  # type: ignore[arg-type]
    for batch in batches:
        log.append(batch)
    log.close()


def read(folder: Path, start: int = 0) -> list[Message]:
    log = FileLog(folder)
    found = list(log.read({0: start}))
    assert log.warnings == []
    return found


@settings(max_examples=50)
@given(
    batches=st.lists(st.lists(outgoing, max_size=12), max_size=8),
    codec=st.sampled_from(("null", "deflate", "zstandard")),
    segment=st.integers(1, 9),
    start=st.integers(0, 30),
)
def test_what_was_appended_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[list[Outgoing]],
    codec: str,
    segment: int,
    start: int,
) -> None:
    folder = tmp_path_factory.mktemp("log")
    write(folder, *batches, codec=codec, segment_messages=segment)
    sent = [*itertools.chain(*batches)]
    expected = [Message(0, n, o.key, o.value) for n, o in enumerate(sent)]
    assert read(folder) == expected
    assert FileLog(folder).end() == {0: len(sent)}
    if start <= len(sent):
        assert read(folder, start) == expected[start:]


def test_it_is_a_log(tmp_path: Path) -> None:
    log: Log = FileLog(tmp_path, write=True)
    log.append(numbered(0, 3))
    assert [x.offset for x in log.read({})] == [0, 1, 2]
    assert log.end() == {0: 3}
    log.close()


def test_any_avro_tool_reads_a_segment(tmp_path: Path) -> None:
    for codec in ("null", "deflate", "zstandard"):
        write(tmp_path / codec, numbered(0, 5), numbered(5, 5), codec=codec)
        with next((tmp_path / codec).glob("*.avro")).open("rb") as file:
            records = list(fastavro.reader(file))
        assert [r["offset"] for r in records] == list(range(10))  # type: ignore[index, call-overload]


def test_segments_close_by_messages_and_by_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a", numbered(0, 25), segment_messages=10)
    names = sorted(p.stem.lstrip("0") for p in (tmp_path / "a").glob("*.avro"))
    assert names == ["", "10", "20"]
    batches = [numbered(n, 1, size=4096) for n in range(6)]
    write(tmp_path / "b", *batches, segment_bytes=8192, codec="null")
    assert len(list((tmp_path / "b").glob("*.avro"))) == 3


def test_a_big_batch_takes_several_blocks(tmp_path: Path) -> None:
    write(tmp_path, numbered(0, 25_000))
    assert [x.offset for x in read(tmp_path, 24_990)] == list(range(24_990, 25_000))
    write(tmp_path, [Outgoing(b"T", bytes(3 << 20))] * 3)
    assert [len(x.value) for x in read(tmp_path, 25_000)] == [3 << 20] * 3


def test_a_restart_goes_on_where_the_log_ended(tmp_path: Path) -> None:
    for n in range(0, 30, 3):
        write(tmp_path, numbered(n, 3), segment_messages=7)
    assert [x.value for x in read(tmp_path)] == [o.value for o in numbered(0, 30)]


def test_another_codec_begins_with_the_next_segment(tmp_path: Path) -> None:
    write(tmp_path, numbered(0, 4), segment_messages=5, codec="deflate")
    write(tmp_path, numbered(4, 4), segment_messages=5, codec="zstandard")
    assert [x.value for x in read(tmp_path)] == [o.value for o in numbered(0, 8)]


def test_nothing_to_append_is_nothing(tmp_path: Path) -> None:
    write(tmp_path, [], [])
    assert read(tmp_path) == []
    assert FileLog(tmp_path).end() == {0: 0}


def test_a_log_made_anew_has_another_identity(tmp_path: Path) -> None:
    write(tmp_path / "a", numbered(0, 1))
    write(tmp_path / "b", numbered(0, 1))
    assert FileLog(tmp_path / "a").identity == FileLog(tmp_path / "a").identity
    assert FileLog(tmp_path / "a").identity != FileLog(tmp_path / "b").identity


def test_follow_goes_on_as_messages_arrive(tmp_path: Path) -> None:
    writer = FileLog(tmp_path, write=True, segment_messages=4)
    following = FileLog(tmp_path).follow({0: 2})
    seen: list[int] = []
    for first in range(0, 30, 3):
        writer.append(numbered(first, 3))
        for message in following:
            if message is None:
                break
            seen.append(message.offset)
    assert seen == list(range(2, 30))
    writer.close()


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    first = FileLog(tmp_path, write=True)
    with pytest.raises(LogError) as caught:
        FileLog(tmp_path, write=True)
    assert str(caught.value) == (
        f"{tmp_path}: process {os.getpid()} is writing to this log, and only one may at a time; "
        f"wait until it is done, or stop it"
    )
    first.append(numbered(0, 1))
    first.close()
    FileLog(tmp_path, write=True).close()


def test_a_reader_can_not_append(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(LogError, match="the log is open for reading only"):
        FileLog(tmp_path).append(numbered(0, 1))
