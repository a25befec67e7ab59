"""What is no event is kept whole, with the reason; the good ones beside it arrive."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from events.archive.ingest import ingest
from events.archive.quarantine import Quarantined
from events.archive.reader import Archive
from events.archive.retry import Retried, judge_again
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.bounds import Bounds
from events.codec import encode
from events.gateway import Gateway
from events.log.base import Message, Outgoing
from events.log.files.log import FileLog
from events.model import (
    BetPlaced,
    BetSettled,
    BetWithdrawn,
    Envelope,
    Event,
    JackpotRead,
    Limit,
    RoundOpened,
    SettlementCorrected,
)
from tests.command import evenhand
from tests.events.archive_kit import (
    DAY,
    LONG_AFTER,
    MORNING,
    ListLog,
    evidence_of,
    listed,
    mixed,
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
    log = ListLog([*GOOD[:5], bad, *(m._replace(offset=m.offset + 1) for m in GOOD[5:])])
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


HUGE = 10**12 + 1


def house_with_a_huge_bet(amount: int = HUGE) -> list[Message]:
    """Two tables; in one of them a bet that no table can mean."""
    gateway = Gateway("RWS-PP-01")
    sent = play("RWS-PP-01", 2, gateway=gateway)
    bet = BetPlaced(1, 1, "P1", "initial", amount, True)
    sent.append(gateway.send(bet, at=MORNING, device="layout", round_="R-9"))
    sent += play("RWS-PP-01", 1, gateway=gateway)
    return listed(mixed(sent, play("RWS-PP-02", 2)))


def test_an_amount_above_the_bound_is_set_apart_and_keeps_its_place_in_the_chain(
    tmp_path: Path,
) -> None:
    log = ListLog(house_with_a_huge_bet())
    assert take(log, tmp_path).quarantined == 1
    with Archive(tmp_path) as archive:
        (bad,) = archive.quarantine()
        assert bad.kind == "contract"
        assert bad.reason == (
            "BetPlaced, amount: expected at most 1000000000000 cents, found 1000000000001"
        )
        assert (bad.table, bad.round) == ("RWS-PP-01", "R-9")
        assert verify(archive).is_well
    assert take(ListLog(house_with_a_huge_bet(HUGE - 1)), tmp_path / "b").quarantined == 0


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (RoundOpened("pontoon-plus-rws-v5", "S", 8, 7, {"initial": Limit(1, HUGE)}), "limits"),
        (RoundOpened("pontoon-plus-rws-v5", "S", 8, 7, {"initial": Limit(HUGE, 1)}), "limits"),
        (RoundOpened("x", "S", 8, 7, {"initial": Limit(1, 2)}, jackpot_bet=HUGE), "jackpot_bet"),
        (BetPlaced(1, 1, "P1", "initial", HUGE, True), "amount"),
        (BetWithdrawn(1, 1, "P1", "initial", HUGE), "amount"),
        (JackpotRead(HUGE), "amount"),
        (BetSettled(1, 1, "P1", "initial", HUGE, 0, 0, "final"), "stake"),
        (BetSettled(1, 1, "P1", "initial", 0, HUGE, 0, "final"), "stake_returned"),
        (BetSettled(1, 1, "P1", "initial", 0, 0, HUGE, "final"), "winnings"),
        (SettlementCorrected(1, 1, "P1", "initial", 0, 0, HUGE, "final", ""), "winnings"),
    ],
)
def test_every_amount_has_the_bound(tmp_path: Path, event: Event, name: str) -> None:
    sent = Gateway("RWS-PP-01").send(event, at=MORNING, device="layout", round_="R-9")
    take(ListLog(listed([sent])), tmp_path)
    with Archive(tmp_path) as archive:
        (bad,) = archive.quarantine()
        assert f"{event.__class__.__name__}, {name}: expected at most" in bad.reason


def test_a_wider_bound_brings_it_back(tmp_path: Path) -> None:
    messages = [*house_with_a_huge_bet(), Message(0, 999, KEY, b"noise")]
    take(ListLog(messages, sparse=True), tmp_path / "a")
    with ArchiveWriter(tmp_path / "a", now=lambda: LONG_AFTER) as archive:
        assert judge_again(archive) == Retried(judged=2, released=0)
    wide = Bounds(amount_cents=2**63 - 1)
    with ArchiveWriter(tmp_path / "a", now=lambda: LONG_AFTER, bounds=wide) as archive:
        assert judge_again(archive) == Retried(judged=2, released=1, days={DAY})
        assert judge_again(archive) == Retried(judged=1, released=0)
    with ArchiveWriter(tmp_path / "b", now=lambda: LONG_AFTER, bounds=wide) as archive:
        ingest(ListLog(messages, sparse=True), archive)
    with Archive(tmp_path / "a") as again, Archive(tmp_path / "b") as at_once:
        assert [q.raw for q in again.quarantine()] == [b"noise"]
        assert verify(again).is_well
        for table in ("RWS-PP-01", "RWS-PP-02"):
            found = (one.read_table_day(DAY, table).to_pylist() for one in (again, at_once))
            assert next(found) == next(found)
        assert again.revision(DAY) == 2


def test_the_command_judges_again(tmp_path: Path) -> None:
    log = FileLog(tmp_path / ".evenhand" / "log", write=True)
    log.append([Outgoing(m.key or b"", m.value) for m in house_with_a_huge_bet()])
    log.close()
    assert "1 quarantined" in evenhand(tmp_path, "ingest").stderr
    same = evenhand(tmp_path, "quarantine", "--retry", "--json")
    assert same.stderr == "1 judged again, 0 are events now\n"
    assert len(json.loads(same.stdout)) == 1
    wide = str(2**62)
    done = evenhand(tmp_path, "quarantine", "--retry", EVENHAND_AMOUNT_LIMIT_CENTS=wide)
    assert done.stdout == "nothing is in quarantine\n"
    assert done.stderr.startswith(f"1 judged again, 1 are events now and went to {DAY}: audit")
    assert evenhand(tmp_path, "verify").returncode == 0
