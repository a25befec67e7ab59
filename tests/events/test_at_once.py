"""A batch taken in at once and its messages judged one by one are the same archive, to the byte."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.archive import at_once, batch_columns, intake, segment
from events.archive.batch_columns import read_batch
from events.archive.columns import ARROW_SCHEMA, FEW_WORDS, RENAMED, records_to_table
from events.archive.evidence import StoredMessage
from events.archive.ingest import ingest
from events.archive.writer import ArchiveWriter
from events.bounds import Bounds
from events.codec import HEADER_SIZE, decode, decode_record, encode, record_problem
from events.contract import CHECKS
from events.errors import DecodeError
from events.lockstep import OddError
from events.log.base import Message
from events.log.container import varint, varints
from events.model import BetPlaced
from tests.events.archive_kit import DAY, LONG_AFTER, MORNING, ListLog, listed, mixed, play
from tests.strategies import envelopes

TURN = MORNING + timedelta(hours=23, minutes=58)
GOOD = listed(mixed(play("RWS-PP-01", 9), play("RWS-PP-02", 9, TURN), play("MBS-BJ-03", 9)))


def changed(value: bytes, at: int, byte: int) -> bytes:
    return value[:at] + bytes([byte]) + value[at + 1 :]


def with_one(n: int, **fields: Any) -> list[Message]:
    return [m._replace(**fields) if i == n else m for i, m in enumerate(GOOD)]


DEAR = encode(replace(decode(GOOD[7].value), event=BetPlaced(1, 1, "P1", "initial", 10**15, True)))
NO_ROUND = encode(replace(decode(GOOD[60].value), round=""))
ONE_OF_EACH: dict[int, dict[str, Any]] = {
    40: {"value": b"no event"},
    130: {"key": b"RWS-PP-09"},
    131: {"value": DEAR},
    400: {"arrived_us": 10**15 * 5},
    500: {"value": GOOD[60].value[:-1]},
    700: {"damage": "the disk lost it"},
    799: {"value": NO_ROUND},
}

HOSTILE = {
    "nothing wrong": GOOD,
    "cut short": with_one(50, value=GOOD[50].value[:-1]),
    "a byte more": with_one(50, value=GOOD[50].value + b"\0"),
    "cut short, and what it lacks stands at the front of the next": [
        *GOOD[:50],
        GOOD[50]._replace(value=GOOD[50].value[:-2]),
        GOOD[51]._replace(value=GOOD[50].value[-2:] + GOOD[51].value),
        *GOOD[52:],
    ],
    "empty": with_one(60, value=b""),
    "of an unknown schema": with_one(60, value=changed(GOOD[60].value, 4, 0)),
    "with another table's key": with_one(60, key=b"RWS-PP-09"),
    "without a key": with_one(60, key=None),
    "damaged": with_one(60, damage="the disk lost it"),
    "after a gap": GOOD[:60] + GOOD[70:],
    "a clock of last century": with_one(60, arrived_us=10**15 * 5),
    "an arrival out of this world": with_one(60, arrived_us=2**62),
    "a limit for a bet whose name is no text": with_one(
        4, value=GOOD[4].value.replace(b"initial", b"\xe9nitial")
    ),
    "the first comes again": [GOOD[0], *GOOD],
    "an amount that no table can mean": with_one(60, value=DEAR),
    "a round that is empty": with_one(60, value=NO_ROUND),
    "one of each kind": [
        m._replace(**ONE_OF_EACH.get(n, {}))
        for n, m in enumerate(listed(mixed(*(play(f"RWS-PP-{t:02d}", 30, TURN) for t in range(4)))))
    ],
    "each byte of a bet turned round": [
        *GOOD,
        *(
            GOOD[4]._replace(offset=len(GOOD) + n, value=changed(GOOD[4].value, at, flip))
            for n, (at, flip) in enumerate(
                (at, GOOD[4].value[at] ^ flip)
                for at in range(HEADER_SIZE, len(GOOD[4].value))
                for flip in (0x01, 0x80)
            )
        ),
    ],
}
MOST_SINGLY = {"each byte of a bet turned round": 300, "one of each kind": 60}


def archived(folder: Path, messages: list[Message], batch: int) -> dict[str, Any]:
    """All that an ingest left: every file, and every row of the journal."""
    folder.mkdir()
    with ArchiveWriter(folder / "archive", now=lambda: LONG_AFTER) as archive:
        ingest(ListLog(messages), archive, batch_messages=batch)
        db = archive._store.db
        tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found: dict[str, Any] = {
            name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables
        }
        found["about"] = [row for row in found["about"] if row[0] != "id"]
    for path in sorted((folder / "archive").glob("*/*")):
        if path.suffix != ".sqlite":
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@pytest.mark.parametrize("name", HOSTILE)
def test_the_archive_is_the_same_as_when_each_is_judged_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment.os, "urandom", lambda size: b"m" * size)
    at_a_time: list[int] = []
    at_all = at_once.AtOnce.take

    def watched(self: at_once.AtOnce, messages: Any, *values: Any) -> at_once.Whole:
        found = at_all(self, messages, *values)
        at_a_time.append(len(messages.value))
        return found

    monkeypatch.setattr(at_once.AtOnce, "take", watched)
    monkeypatch.setattr(at_once, "FEWEST", 10)
    monkeypatch.setattr(intake, "FEWEST", 10)
    together = archived(tmp_path / "together", HOSTILE[name], 1000)
    singly = len(HOSTILE[name]) - sum(at_a_time)
    assert (singly == 0) == (name == "nothing wrong")
    assert singly <= MOST_SINGLY.get(name, 20)  # twice FEWEST: cut in halves that is what is left
    monkeypatch.setattr(intake, "FEWEST", 10**9)
    assert archived(tmp_path / "singly", HOSTILE[name], 1000) == together


def test_a_batch_is_cut_around_what_is_odd() -> None:
    most = at_once.FEWEST
    assert list(at_once.cut(3 * most, [])) == [(0, 3 * most, True)]
    assert list(at_once.cut(3 * most, [0])) == [(0, 1, False), (1, 3 * most, True)]
    assert list(at_once.cut(2 * most + 1, [most])) == [
        (0, most, True),
        (most, most + 1, False),
        (most + 1, 2 * most + 1, True),
    ]
    # what is too short between two odd ones is judged with them
    assert list(at_once.cut(2 * most, [most - 1, most + 9])) == [(0, 2 * most, False)]


def singly(values: list[bytes], bounds: Bounds) -> list[dict[str, Any]] | None:
    """The records where each is an event, else None."""
    records = []
    for value in values:
        try:
            record = decode_record(value)
        except DecodeError:
            return None
        if record_problem(record) or bounds.amount_problem(*record["event"]):
            return None
        records.append(record)
    return records


def must_agree(values: list[bytes], keys: list[bytes], *, refuse: bool = True) -> None:
    """Either way gives the same columns; being refused at once is allowed, being taken is not."""
    records = singly(values, Bounds())
    try:
        read = read_batch(values, keys, Bounds())
    except OddError:
        assert refuse or records is None
        return
    assert records is not None
    stored = [StoredMessage("s", 0, n, None, v) for n, v in enumerate(values)]
    table = records_to_table(DAY, records, [bytes(32)] * len(values), stored)
    for name in set(ARROW_SCHEMA.names) & set(read.columns):
        assert pa.chunked_array([read.columns[name]]) == table[name], name
        read.columns[name].validate(full=True)
    absent = set(ARROW_SCHEMA.names) - set(read.columns) - {"day", "hash", "source", "partition"}
    for name in absent - {"offset", "wrong_clock"}:
        assert table[name].null_count == len(values), name


@settings(max_examples=60)
@given(st.lists(envelopes(), min_size=1, max_size=12))
def test_any_events_are_read_as_fastavro_reads_them(events: list[Any]) -> None:
    events = [replace(e, seq=(e.seq or 1) % 10**9 + 1) for e in events]  # ten bytes are refused
    values = [encode(e) for e in events]
    must_agree(values, [str(e.table).encode() for e in events])


@settings(max_examples=150)
@given(st.data())
def test_whatever_bytes_come_they_are_read_alike_or_not_at_all(data: st.DataObject) -> None:
    events = data.draw(st.lists(envelopes(), min_size=1, max_size=4))
    events = [replace(e, table="T") for e in events]
    values = [bytearray(encode(e)) for e in events]
    for _ in range(data.draw(st.integers(1, 3))):
        value = data.draw(st.sampled_from(values))
        at = data.draw(st.integers(HEADER_SIZE, len(value) - 1))
        change = data.draw(st.sampled_from(["set", "insert", "delete"]))
        byte = data.draw(st.sampled_from([0, 1, 2, 3, 0x7F, 0x80, 0xFF]))
        value[at : at + (change != "insert")] = b"" if change == "delete" else bytes([byte])
    must_agree([bytes(v) for v in values], [b"T"] * len(values))


def test_a_field_of_few_allowed_words_is_asked_about_each_of_its_words() -> None:
    """Free text is asked about its shortest value only; a word must never be."""
    for event, checks in CHECKS.items():
        for f, check in checks:
            if f.base is str and check("no such word anywhere") is not None:
                assert RENAMED.get(f.name, f.name) in FEW_WORDS, (event, f.name)


def test_numbers_are_written_as_avro_writes_them() -> None:
    numbers = [0, 1, -1, 63, 64, -64, -65, 2**31, 2**62, 2**63 - 1, -(2**62), 1_700_000_000_000_000]
    assert varints(numbers) == [varint(n) for n in numbers]


def test_a_schema_that_names_other_fields_is_read_one_by_one() -> None:
    assert batch_columns._plan() is not None
    assert np.datetime64(datetime(1, 1, 3, tzinfo=UTC).replace(tzinfo=None), "us").astype(int) == (
        batch_columns._FIRST_US
    )
