"""The log of what people do: whoever changes, cuts or adds to it past us is named."""

from __future__ import annotations

import json
import multiprocessing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipelines.people.entry import Deed, LogHead, from_line, hash_line, to_line
from pipelines.people.log import PeopleLog, PeopleLogError, decisions_file, head, parse_log

AT = datetime(2026, 11, 15, 3, tzinfo=UTC)


def a_log(path: Path, entries: int = 4) -> PeopleLog:
    log = PeopleLog(path, lambda: AT)
    with log.writing() as writing:
        for number in range(entries):
            writing.append(Deed("Alice", "comment", "desk", "R-1", (f"F{number}",), {"text": "ä"}))
    return log


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_each_entry_holds_the_hash_of_the_line_before(tmp_path: Path) -> None:
    path = tmp_path / "people" / "log.jsonl"
    log = a_log(path)
    lines = [line.rstrip(b"\n") for line in lines_of(path)]
    entries = log.read().entries
    assert [e.number for e in entries] == [1, 2, 3, 4]
    assert [e.prev for e in entries] == [bytes(32), *map(hash_line, lines[:3])]
    assert log.read().head == LogHead(4, hash_line(lines[3]))
    assert log.read().problems == ()
    assert json.loads(lines[0]) == {
        "format": 1, "number": 1, "at": "2026-11-15T03:00:00.000000Z", "who": "Alice",
        "via": "desk", "what": "comment", "run": "R-1", "subjects": ["F0"],
        "details": {"text": "ä"}, "prev": "0" * 64,
    }  # fmt: skip
    assert [to_line(from_line(line)) for line in lines] == lines


def test_alice_does_not_become_the_regulator(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = a_log(path)
    lines = lines_of(path)
    lines[1] = lines[1].replace(b"Alice", b"CRA Regulator")
    path.write_bytes(b"".join(lines))
    found = log.read()
    assert [p.number for p in found.problems] == [2]
    assert f"{path}, entry 2: it was changed after entry 3 had been written" in (
        found.problems[0].message
    )
    assert [e.number for e in found.entries] == [1], "what stands before it counts, nothing else"
    before = path.read_bytes()
    with pytest.raises(PeopleLogError, match=r"entry 2: it was changed.*put it back"):
        a_log(path, 1)
    assert path.read_bytes() == before


def test_the_last_entry_is_held_by_the_head_that_was_sealed(tmp_path: Path) -> None:
    home = tmp_path
    path = decisions_file(home)
    assert head(home) == LogHead(0, bytes(32))
    log = a_log(path, 3)
    three = head(home)
    a_log(path, 1)
    known = {three.number: three.hash, 0: bytes(32)}
    assert log.read().against(known) == []
    assert log.read().against({**known, 4: head(home).hash}) == []
    lines = lines_of(path)
    lines[3] = lines[3].replace(b"Alice", b"CRA Regulator")
    path.write_bytes(b"".join(lines))
    assert log.read().problems == ()
    (problem,) = log.read().against({4: log.read().entries[3].prev})
    assert problem.message.startswith(f"{path}, entry 4: it is not the one that was sealed")
    path.write_bytes(b"".join(lines[:2]))
    (problem,) = log.read().against(known)
    assert problem.message.startswith(f"{path}: entry 3 is gone")
    path.unlink()
    (problem,) = log.read().against(known)
    assert problem.message.startswith(f"{path}: entries 1 to 3 are gone")


@pytest.mark.parametrize(
    ("spoil", "number", "says"),
    [
        (lambda x: [x[0], x[2], x[3]], 2, "expected entry 2 there, found number 3"),
        (lambda x: [x[0], x[0], x[1], x[2]], 2, "expected entry 2 there, found number 1"),
        (lambda x: [x[1], x[2], x[3]], 1, "expected entry 1 there, found number 2"),
        (lambda x: [x[0], b"{}\n", x[2], x[3]], 2, "expected the fields format, number"),
        (lambda x: [x[0], b"\n", x[1]], 2, "expected an entry of the log"),
        (lambda x: [x[0], x[1].replace(b'"who":', b'"who": ')], 2, "an entry has one way"),
        (lambda x: [x[0].replace(b'"number":1', b'"number":"1"'), x[1]], 1, "number: expected"),
        (lambda x: [x[0], b"\xff\xfe" * 9 + b"\n", x[2]], 2, "expected UTF-8 text"),
        (lambda x: [x[0], b"[" * 5000 + b"\n"], 2, "expected"),
    ],
)
def test_what_does_not_fit_is_named(spoil: object, number: int, says: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = a_log(path)
    path.write_bytes(b"".join(spoil(lines_of(path))))  # type: ignore[operator]
    problem = log.read().problems[0]
    assert problem.number == number
    assert says in problem.message
    assert len(log.read().entries) == number - 1


def test_half_an_entry_was_never_acknowledged(tmp_path: Path) -> None:
    """At every byte at which a killed process may have stopped."""
    path = tmp_path / "log.jsonl"
    a_log(path, 2)
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last + 1, len(whole)):
        path.write_bytes(whole[:end])
        log = a_log(path, 1)
        kept = 2 if end == len(whole) - 1 else 1
        assert [e.number for e in log.read().entries] == list(range(1, kept + 2)), end
        assert log.read().problems == ()
        assert path.read_bytes().startswith(whole if kept == 2 else whole[:last])


def test_an_entry_that_is_too_long_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = a_log(path, 1)
    before = path.read_bytes()
    with pytest.raises(PeopleLogError, match="at most 1,048,576 bytes"), log.writing() as writing:
        writing.append(Deed("A", "comment", details={"text": "x" * (1 << 20)}))
    assert path.read_bytes() == before


def _note(path: Path) -> None:
    log = PeopleLog(path)
    for _ in range(25):
        log.note(Deed("A", "opened_round", "desk", None, ("R" * 400,)))


def test_many_note_at_once_and_the_chain_holds(tmp_path: Path) -> None:
    """Who opened what is added without a look at what stands before."""
    path = tmp_path / "access.jsonl"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_note, args=(path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    _note(path)
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    found = parse_log(path, path.read_bytes())
    assert (len(found.entries), found.problems) == (75, ())
    path.write_bytes(path.read_bytes()[:-7])
    _note(path)
    found = parse_log(path, path.read_bytes())
    assert (len(found.entries), found.problems) == (99, ())
