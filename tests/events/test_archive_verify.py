"""Verification says in distinct words what is wrong, and never takes damage for emptiness."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from events.archive.column_buffer import add_file
from events.archive.findings import Trouble, VerifyReport
from events.archive.journal import open_journal, transaction
from events.archive.layout import Layout
from events.archive.parquet import read_columns, write_columns
from events.archive.reader import Archive
from events.archive.store import Store
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.chain import ChainVerdict
from events.codec import body_of, decode_record, hash_body
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import JackpotRead, Limit, RoundClosed, RoundOpened
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

TURN = MORNING + timedelta(days=1)
NEXT = DAY + timedelta(days=1)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two tables, two days."""
    one, two = Gateway("RWS-PP-01"), Gateway("RWS-PP-02")
    first = mixed(play("RWS-PP-01", 20, gateway=one), play("RWS-PP-02", 20, gateway=two))
    second = play("RWS-PP-01", 5, TURN, gateway=one)
    take(ListLog(listed(first + second)), tmp_path)
    return tmp_path


def check(root: Path, **kwargs: object) -> VerifyReport:
    with Archive(root) as archive:
        return verify(archive, **kwargs)  # type: ignore[arg-type]


def flip(path: Path, at: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * at)] ^= 0x10
    path.write_bytes(data)


def the(root: Path, pattern: str) -> Path:
    (path,) = (root / DAY.isoformat()).glob(pattern)
    return path


def troubles(report: VerifyReport) -> set[str]:
    return {str(p.verdict) for d in report.days for p in d.problems}


def test_intact(archive: Path) -> None:
    report = check(archive)
    assert report.is_well
    assert [d.verdicts for d in report.days] == [["intact"], ["intact"]]
    assert [d.events for d in report.days] == [322, 41]
    assert {t.table: t.events for t in report.tables} == {"RWS-PP-01": 202, "RWS-PP-02": 161}
    assert report.to_json()["verdict"] == "intact"


@pytest.mark.parametrize("at", [0.01, 0.3, 0.6, 0.999])
def test_a_flipped_byte_in_the_evidence(archive: Path, at: float) -> None:
    flip(the(archive, "evidence-*"), at)
    report = check(archive)
    assert "changed_file" in troubles(report)
    assert [d.verdicts for d in report.days if d.day == NEXT] == [["intact"]]


def test_evidence_that_can_not_be_read_is_said_to_be_lost(archive: Path) -> None:
    flip(the(archive, "evidence-*"), 0.5)
    report = check(archive)
    assert troubles(report) == {"changed_file", "unreadable_file"}
    texts = [p.message for d in report.days for p in d.problems]
    assert any("of its 322 messages are lost" in t for t in texts)
    assert {str(v) for t in report.tables for v in t.verdicts} >= {"missing"}


def test_a_flipped_byte_in_a_column_file(archive: Path) -> None:
    flip(the(archive, "columns-*"))
    report = check(archive)
    assert "changed_file" in troubles(report)
    assert all(not t.breaks for t in report.tables), "the evidence is whole"


@pytest.mark.parametrize("pattern", ["evidence-*", "columns-*", "rounds-*", "manifest.json"])
def test_a_deleted_file_is_missing_and_not_empty(archive: Path, pattern: str) -> None:
    the(archive, pattern).unlink()
    assert "missing_file" in troubles(check(archive))


def test_a_file_that_was_cut_short(archive: Path) -> None:
    path = the(archive, "evidence-*")
    path.write_bytes(path.read_bytes()[:-20])
    assert "changed_file" in troubles(check(archive))


def test_bytes_behind_the_evidence_of_a_complete_day(archive: Path) -> None:
    path = the(archive, "evidence-*")
    path.write_bytes(path.read_bytes() + b"more")
    assert troubles(check(archive)) == {"changed_file"}


def test_a_manifest_that_says_something_else(archive: Path) -> None:
    path = the(archive, "manifest.json")
    manifest = json.loads(path.read_text())
    manifest["events"] += 1
    path.write_text(json.dumps(manifest))
    assert troubles(check(archive)) == {"manifest_differs"}


def change_column(root: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Whoever can write columns can write the journal too: only the evidence gives them away."""
    store = Store(open_journal(root / "journal.sqlite", write=True), Layout(root), lambda: TURN)
    (name,) = (r[0] for r in store.db.execute("SELECT name FROM columns WHERE day = ?",
                                              (DAY.isoformat(),)).fetchall())  # fmt: skip
    path = store.layout.file(DAY, name)
    table = change(read_columns([path], None))
    write_columns(path, [table])
    with transaction(store.db):
        store.db.execute("DELETE FROM columns WHERE name = ?", (name,))
        add_file(store, DAY, name, table.num_rows)
        store.changed(DAY)
    store.db.close()


def test_columns_that_do_not_say_what_the_evidence_says(archive: Path) -> None:
    def dearer(table: pa.Table) -> pa.Table:
        amounts = table["amount"].to_pylist()
        amounts[100] = 1 if amounts[100] is None else amounts[100] + 1
        at = table.schema.get_field_index("amount")
        column = pa.array(amounts, pa.int64())
        return table.set_column(at, table.schema.field(at), column)

    change_column(archive, dearer)
    report = check(archive)
    assert troubles(report) == {"columns_differ"}
    (problem,) = report.days[0].problems
    assert problem.message == (
        "table RWS-PP-01, event 101: the columns differ from the evidence in amount"
    )


def test_columns_that_lack_an_event(archive: Path) -> None:
    change_column(archive, lambda t: pa.concat_tables([t.slice(0, 50), t.slice(51)]))
    assert troubles(check(archive)) == {"columns_differ"}


Tamper = Callable[[list[Outgoing]], list[Outgoing]]


@pytest.mark.parametrize(
    ("tamper", "verdict"),
    [
        (lambda m: m[:20] + m[21:], ChainVerdict.MISSING),
        (lambda m: [*m[:20], m[19], *m[20:]], ChainVerdict.DUPLICATED),
        (lambda m: [*m[:20], m[21], m[20], *m[22:]], ChainVerdict.OUT_OF_ORDER),
        (lambda m: m[:20] + changed(m[20]) + m[21:], ChainVerdict.BROKEN),
    ],
    ids=["dropped", "doubled", "swapped", "changed"],
)
def test_what_was_done_to_the_log_shows_in_the_chain(
    tmp_path: Path, tamper: Tamper, verdict: ChainVerdict
) -> None:
    take(ListLog(listed(tamper(play("RWS-PP-01", 10)))), tmp_path)
    report = check(tmp_path)
    assert [d.verdicts for d in report.days] == [["intact"]], "the archive keeps what it got"
    assert report.tables[0].verdicts == {verdict}
    assert not report.is_well


def changed(message: Outgoing) -> list[Outgoing]:
    """The same event, another time: still a good event, and no longer the one that was sent."""
    from dataclasses import replace

    from events.codec import decode, encode

    event = decode(message.value)
    assert event.at is not None
    return [Outgoing(message.key, encode(replace(event, at=event.at + timedelta(seconds=1))))]


def test_a_log_that_was_cut_short_shows_against_a_checkpoint(tmp_path: Path) -> None:
    sent = play("RWS-PP-01", 10)
    take(ListLog(listed(sent[:-5])), tmp_path)
    assert check(tmp_path).is_well
    head = {len(sent): hash_body(body_of(sent[-1].value))}
    report = check(tmp_path, known={"RWS-PP-01": head})
    assert report.tables[0].verdicts == {ChainVerdict.TRUNCATED}
    gone = check(tmp_path, known={"RWS-PP-77": {3: bytes(32)}})
    assert {t.table: t.verdicts for t in gone.tables}["RWS-PP-77"] == {ChainVerdict.TRUNCATED}


def test_one_day_takes_what_lies_in_the_next_from_there(tmp_path: Path) -> None:
    g = Gateway("RWS-PP-01")
    opened = RoundOpened("pontoon-plus-rws-v5", "SH-1", 8, 7, {"initial": Limit(500, 100_000)})
    before, after = TURN - timedelta(seconds=1), TURN + timedelta(seconds=1)
    sent = [
        g.send(opened, at=before, device="console", round_="R-1"),
        g.send(JackpotRead(100), at=after, device="jackpot"),
        g.send(RoundClosed(), at=after, device="console", round_="R-1"),
        *play("RWS-PP-01", 2, after, g),
    ]
    take(ListLog(listed(sent)), tmp_path)
    assert check(tmp_path).is_well
    for day in (DAY, NEXT):
        report = check(tmp_path, day=day)
        assert report.is_well, report.to_json()
        assert [d.day for d in report.days] == [day]


def test_late_events_do_not_look_out_of_order(tmp_path: Path) -> None:
    """A correction lies in its round's day and came long after: the chain is fed as it came."""
    g = Gateway("RWS-PP-01")
    opened = RoundOpened("pontoon-plus-rws-v5", "SH-1", 8, 7, {"initial": Limit(500, 100_000)})
    sent = [g.send(opened, at=MORNING, device="console", round_="R-1")]
    for n in range(1, 4):
        sent += play("RWS-PP-01", 3, MORNING + timedelta(days=n), g)
        sent.append(g.send(RoundClosed(), at=MORNING + timedelta(days=n), device="console",
                           round_="R-1"))  # fmt: skip
    take(ListLog(listed(sent)), tmp_path)
    seqs = [decode_record(m.value)["seq"] for m in evidence_of(tmp_path, DAY)]
    assert seqs == [1, 27, 53, 79]
    report = check(tmp_path)
    assert report.is_well, report.to_json()
    assert check(tmp_path, day=DAY).is_well


def test_what_is_not_committed_is_no_damage(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, now=lambda: MORNING) as archive:
        archive.begin("file:x")
        archive.commit(archive.intake("file:x").take(listed(play("RWS-PP-01", 2))))
    the(tmp_path, "evidence-*").open("ab").write(b"half a block")
    report = check(tmp_path)
    assert report.is_well
    assert any("12 bytes are not committed" in n for d in report.days for n in d.notes)
    ArchiveWriter(tmp_path, now=lambda: LONG_AFTER).close()
    assert check(tmp_path).days[0].notes == []


def test_an_ingest_never_appends_to_damaged_evidence(tmp_path: Path) -> None:
    log = ListLog(listed(play("RWS-PP-01", 2)))
    take(log, tmp_path, now=MORNING)
    flip(the(tmp_path, "evidence-*"))
    log.append(play("RWS-PP-02", 2))
    with ArchiveWriter(tmp_path, now=lambda: MORNING) as archive:
        assert "is not what the journal says" in archive.notices[0]
    take(log, tmp_path, now=MORNING)
    assert len(list((tmp_path / DAY.isoformat()).glob("evidence-*"))) == 2
    assert troubles(check(tmp_path)) >= {str(Trouble.CHANGED_FILE)}


def test_an_ingest_at_work_is_no_damage(tmp_path: Path) -> None:
    one, two = Gateway("RWS-PP-01"), Gateway("RWS-PP-02")
    log = ListLog(listed(play("RWS-PP-01", 5, gateway=one) + play("RWS-PP-02", 5, TURN, two)))
    take(log, tmp_path)
    more = play("RWS-PP-01", 5, TURN, gateway=one) + play("RWS-PP-02", 5, TURN, two)

    def meanwhile(_: object) -> None:
        if more:
            log.append(more)
            more.clear()
            take(log, tmp_path)

    report = check(tmp_path, progress=meanwhile)
    assert report.is_well, report.to_json()
    assert [d.events for d in report.days] == [41, 41]
    assert [d.events for d in check(tmp_path).days] == [41, 123]


def test_a_copy_elsewhere_verifies_the_same(archive: Path, tmp_path_factory: object) -> None:
    copy = archive.parent / "copy"
    shutil.copytree(archive, copy)
    assert check(copy).to_json() == check(archive).to_json()
