"""What is no event is kept whole, with the reason; the good ones beside it arrive."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from events.archive.ingest import ingest
from events.archive.quarantine import Quarantined
from events.archive.reader import Archive
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.codec import encode
from events.gateway import Gateway
from events.log.base import Message
from events.model import BetPlaced, Envelope
from tests.events.archive_kit import (
    DAY,
    LONG_AFTER,
    MORNING,
    ListLog,
    evidence_of,
    listed,
    play,
    take,
)

GOOD = listed(play("RWS-PP-01", 2))
KEY = b"RWS-PP-01"


def broken_bet() -> bytes:
    """An event whose Avro is fine and whose amount breaks the contract."""
    event = BetPlaced(1, 1, "P1", "initial", -5, True)
    return encode(Envelope(event, "R-1", "RWS-PP-01", 7, MORNING, "layout", bytes(32)))


@pytest.mark.parametrize(
    ("key", "value", "kind", "reason"),
    [
        (KEY, b"", "undecodable", "empty message"),
        (KEY, b"hello, this is no Avro", "undecodable", "not an Avro single-object message"),
        (KEY, b"\xc3\x01\x00", "undecodable", "cut short in the header"),
        (KEY, b"\xc3\x01" + bytes(30), "undecodable", "unknown schema fingerprint"),
        (KEY, GOOD[3].value[:-4], "undecodable", "truncated"),
        (KEY, GOOD[3].value + b"!", "undecodable", "left over"),
        (KEY, hashlib.sha256(b"noise").digest() * 163_840, "undecodable", "not an Avro"),
        (KEY, broken_bet(), "contract", "BetPlaced, amount: expected an integer of at least 1"),
        (b"RWS-PP-02", GOOD[3].value, "key", "wrong key: expected the table RWS-PP-01"),
        (None, GOOD[3].value, "key", "found none"),
        (b"\xff\xfe", GOOD[3].value, "key", "wrong key"),
    ],
    ids="empty text header fingerprint truncated longer noise contract key nokey keybytes".split(),
)
def test_each_kind_is_kept_and_its_neighbours_arrive(
    tmp_path: Path, key: bytes | None, value: bytes, kind: str, reason: str
) -> None:
    bad = Message(0, 5, key, value)
    log = ListLog([*GOOD[:5], bad, *(replace(m, offset=m.offset + 1) for m in GOOD[5:])])
    taken = take(log, tmp_path)
    assert (taken.events, taken.quarantined) == (len(GOOD), 1)
    assert [m.value for m in evidence_of(tmp_path)] == [m.value for m in GOOD]
    with Archive(tmp_path) as archive:
        (q,) = archive.quarantine()
    assert (q.source, q.partition, q.offset) == ("file:made-for-a-test", 0, 5)
    assert (q.key, q.raw, q.kind, q.day) == (key, value, kind, DAY)
    assert reason in q.reason


def test_what_the_bytes_tell_is_told(tmp_path: Path) -> None:
    take(ListLog([Message(0, 0, KEY, broken_bet()), Message(0, 1, KEY, b"x")]), tmp_path)
    with Archive(tmp_path) as archive:
        known, unknown = archive.quarantine()
    assert (known.table, known.round, known.seq) == ("RWS-PP-01", "R-1", 7)
    assert (unknown.table, unknown.round, unknown.seq) == ("RWS-PP-01", None, None)
    text = known.to_json()
    assert text["size"] == len(known.raw)
    assert text["sha256"] == hashlib.sha256(known.raw).hexdigest()


def test_it_counts_in_the_manifest_and_reopens_a_complete_day(tmp_path: Path) -> None:
    log = ListLog(list(GOOD))
    take(log, tmp_path)
    log.messages.append(Message(0, len(GOOD), KEY, b"noise"))
    take(log, tmp_path)
    with Archive(tmp_path) as archive:
        manifest = archive.manifest(DAY)
    assert (manifest["quarantined"], manifest["revision"]) == (1, 2)


def test_bytes_in_quarantine_keep_their_place_in_the_chain(tmp_path: Path) -> None:
    g = Gateway("RWS-PP-01")
    sent = play("RWS-PP-01", 1, gateway=g)
    bad = BetPlaced(1, 1, "P1", "initial", 0, True)  # chained like any other, and no event
    sent.append(g.send(bad, at=MORNING, device="layout", round_="R-9"))
    sent += play("RWS-PP-01", 1, gateway=g)
    taken = take(ListLog(listed(sent)), tmp_path)
    assert taken.quarantined == 1
    with Archive(tmp_path) as archive:
        report = verify(archive)
    assert report.is_well
    assert report.tables[0].events == len(sent)


def test_dead_letters_are_told_at_least_once_and_not_again(tmp_path: Path) -> None:
    log = ListLog([Message(0, n, KEY, b"noise %d" % n) for n in range(250)])
    told: list[Quarantined] = []

    def fail(_: list[Quarantined]) -> None:
        raise ConnectionError

    with ArchiveWriter(tmp_path, now=lambda: LONG_AFTER) as archive, pytest.raises(ConnectionError):
        ingest(log, archive, forward=fail)
    with ArchiveWriter(tmp_path, now=lambda: LONG_AFTER) as archive:
        ingest(log, archive, forward=told.extend)
        ingest(log, archive, forward=told.extend)
    assert [q.offset for q in told] == list(range(250))
