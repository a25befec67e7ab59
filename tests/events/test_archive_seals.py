"""Verification against kept seals: what the chain cannot show, before a gap and in quarantine."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from events.archive.findings import Trouble, VerifyReport
from events.archive.heads import day_ends
from events.archive.reader import Archive
from events.archive.verify import verify
from events.chain import ChainVerdict
from events.checkpoints import (
    QUARANTINE,
    Checkpoint,
    checkpoint_day,
    known_heads,
    load_checkpoints,
)
from events.codec import decode, encode
from events.log.base import Outgoing
from tests.command import evenhand
from tests.events.archive_kit import DAY, LONG_AFTER, ListLog, file_log, listed, play, take

TABLE = "RWS-PP-01"


def gapped(sent: list[Outgoing]) -> list[Outgoing]:
    """Event 12 was never sent on: the chain cannot be followed over it."""
    return [m for n, m in enumerate(sent, start=1) if n != 12]


def changed(message: Outgoing) -> Outgoing:
    event = decode(message.value)
    assert event.at is not None
    return Outgoing(message.key, encode(replace(event, at=event.at + timedelta(seconds=1))))


def sealed(root: Path) -> list[Checkpoint]:
    return checkpoint_day(root / "kept.jsonl", DAY, day_ends(root, DAY), lambda: LONG_AFTER)


def check(root: Path, kept: Sequence[Checkpoint], *, day: bool = False) -> VerifyReport:
    known = known_heads(c for c in kept if c.table != QUARANTINE)
    with Archive(root) as archive:
        return verify(archive, DAY if day else None, known, kept=kept)


@pytest.mark.parametrize("day", [False, True])
def test_a_change_right_before_a_gap(tmp_path: Path, day: bool) -> None:
    """No event names the hash of the changed one, so the chain and its head are as before."""
    sent = play(TABLE, 3)
    take(ListLog(listed(gapped(sent))), tmp_path / "true")
    kept = sealed(tmp_path / "true")
    assert check(tmp_path / "true", kept, day=day).tables[0].verdicts == {ChainVerdict.MISSING}
    forged = [*sent[:10], changed(sent[10]), *sent[12:]]
    take(ListLog(listed(forged)), tmp_path / "forged")
    heads_alone = check(tmp_path / "forged", [replace(c, first=None, seal=None) for c in kept])
    assert heads_alone.tables[0].verdicts == {ChainVerdict.MISSING}, "the chain sees only the gap"
    (table,) = check(tmp_path / "forged", kept, day=day).tables
    assert table.verdicts == {ChainVerdict.MISSING, ChainVerdict.SEAL_DIFFERS}
    (broken,) = [b for b in table.breaks if b.verdict == ChainVerdict.SEAL_DIFFERS]
    assert (broken.first, broken.last) == (1, 25)
    assert broken.message == (
        "events 1 to 25 are not the ones that the checkpoint of 2026-03-20 00:00:00 UTC sealed "
        "(gaming day 2026-03-10 ended): one of them was changed, added or taken away since; of "
        "these numbers 1 are missing now and 0 stand twice"
    )


def test_an_event_taken_away_beside_a_gap(tmp_path: Path) -> None:
    sent = play(TABLE, 3)
    take(ListLog(listed(gapped(sent))), tmp_path / "true")
    kept = sealed(tmp_path / "true")
    take(ListLog(listed([*sent[:10], *sent[12:]])), tmp_path / "forged")
    (table,) = check(tmp_path / "forged", kept).tables
    assert ChainVerdict.SEAL_DIFFERS in table.verdicts


def test_a_seal_of_another_day_is_not_asked_of_this_one(tmp_path: Path) -> None:
    take(ListLog(listed(play(TABLE, 3))), tmp_path)
    (kept,) = sealed(tmp_path)
    later = replace(kept, first=26, seq=40, seal=bytes(32))
    assert check(tmp_path, [replace(kept, seal=kept.seal)], day=True).is_well
    with Archive(tmp_path) as archive:
        assert verify(archive, DAY, {}, kept=[later]).is_well
        assert not verify(archive, None, {}, kept=[later]).is_well


def test_a_second_claim_that_came_later_does_not_undo_a_seal(tmp_path: Path) -> None:
    sent = play(TABLE, 3)
    take(ListLog(listed(sent)), tmp_path / "once")
    kept = sealed(tmp_path / "once")
    take(ListLog(listed([*sent, changed(sent[4])])), tmp_path / "twice")
    (table,) = check(tmp_path / "twice", kept).tables
    assert ChainVerdict.SEAL_DIFFERS not in table.verdicts


def rubbish(root: Path) -> list[Checkpoint]:
    """Three messages in quarantine: cut short, no Avro at all, and a wrong key."""
    sent = play(TABLE, 3)
    bad = [
        Outgoing(sent[3].key, sent[3].value[:-1]),
        Outgoing(b"RWS-PP-01", b"rubbish"),
        Outgoing(b"RWS-PP-09", sent[6].value),
    ]
    take(ListLog(listed([*sent[:3], bad[0], *sent[4:6], *bad[1:], *sent[7:]])), root)
    return sealed(root)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE quarantine SET reason = 'harmless' WHERE id = 2",
        "UPDATE quarantine SET raw = x'00' WHERE id = 2",
        "UPDATE quarantine SET kind = 'damage' WHERE id = 3",
        "UPDATE quarantine SET noted_at = '2026-01-01T00:00:00.000000Z' WHERE id = 1",
        "UPDATE quarantine SET day = '2026-03-11' WHERE id = 2",
        "DELETE FROM quarantine WHERE id = 1",
        "DELETE FROM quarantine WHERE id = 3",
        "DELETE FROM quarantine",
    ],
)
def test_what_lies_in_quarantine_is_under_the_seal(tmp_path: Path, change: str) -> None:
    kept = rubbish(tmp_path)
    own = [c for c in kept if c.table == QUARANTINE]
    assert [(c.first, c.seq) for c in own] == [(1, 3)]
    assert not check(tmp_path, own).problems
    with sqlite3.connect(tmp_path / "journal.sqlite") as db:
        db.execute(change)
    (problem,) = [
        p for p in check(tmp_path, own).problems if p.verdict == Trouble.QUARANTINE_DIFFERS
    ]
    assert problem.message == (
        "of the messages 1 to 3 in quarantine one was changed or taken away since the checkpoint "
        "of 2026-03-20 00:00:00 UTC sealed them (gaming day 2026-03-10 ended)"
    )


def test_what_was_told_to_the_dead_letter_topic_changes_no_seal(tmp_path: Path) -> None:
    kept = rubbish(tmp_path)
    with sqlite3.connect(tmp_path / "journal.sqlite") as db:
        db.execute("UPDATE quarantine SET forwarded = 1")
    assert not check(tmp_path, [c for c in kept if c.table == QUARANTINE]).problems


def test_the_commands_seal_and_notice_it(tmp_path: Path) -> None:
    """As people type it: ingest seals the day, verify holds the quarantine against it."""
    home = tmp_path / ".evenhand"
    file_log(home, [*play(TABLE, 2), Outgoing(b"RWS-PP-01", b"rubbish")])
    assert evenhand(tmp_path, "ingest").returncode == 0
    kept = evenhand(tmp_path, "checkpoints", "--all", "--json")
    assert f'"table": "{QUARANTINE}", "seq": 1' in kept.stdout
    assert load_checkpoints(home / "checkpoints.jsonl", tables=[TABLE, QUARANTINE]) == [
        c for c in load_checkpoints(home / "checkpoints.jsonl") if c.table == TABLE
    ]
    (tmp_path / "kept").write_text(kept.stdout)
    assert evenhand(tmp_path, "verify", "--checkpoints", "kept").returncode == 0
    with sqlite3.connect(home / "archive" / "journal.sqlite") as db:
        db.execute("UPDATE quarantine SET reason = 'harmless'")
    for args in ((), ("--checkpoints", "kept")):
        done = evenhand(tmp_path, "verify", *args)
        assert done.returncode == 1
        assert "quarantine_differs: of the messages 1 to 1 in quarantine" in done.stdout
