"""Columns and index are derived: from whole evidence they are made again just as they were."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from events.archive import repair, rounds, writer
from events.archive.errors import DamagedError, UnknownDayError
from events.archive.finder import find_round
from events.archive.reader import Archive
from events.archive.rounds import IndexFile, Stretch
from events.archive.verify import verify
from events.archive.writer import ArchiveWriter
from events.gateway import Gateway
from events.model import SettlementCorrected
from tests.command import evenhand
from tests.events.archive_kit import (
    DAY,
    LONG_AFTER,
    MORNING,
    ListLog,
    file_log,
    listed,
    mixed,
    play,
    take,
)

LATE = SettlementCorrected(1, 1, "P1", "initial", 2500, 2500, 5000, "final", "miscounted")
DERIVED = ("columns-*", "rounds-*")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tables over several evidence files, and an event that came long after its round."""
    monkeypatch.setattr(rounds, "STRETCH_BYTES", 100)
    monkeypatch.setattr(writer, "SEGMENT_BYTES", 5_000)
    monkeypatch.setattr(repair, "FLUSH_ROWS", 100)
    gateway = Gateway("RWS-PP-01")
    messages = mixed(play("RWS-PP-01", 30, gateway=gateway), play("RWS-PP-02", 30))
    at = MORNING + timedelta(hours=3)
    messages.append(gateway.send(LATE, at=at, device="console", round_="RWS-PP-01-000003"))
    take(ListLog(listed(messages)), tmp_path)
    return tmp_path


def is_well(root: Path) -> bool:
    with Archive(root) as archive:
        return verify(archive).is_well


def all_rows(archive: Archive) -> list[dict[str, Any]]:
    return archive.read_tables(DAY, list(archive.tables_of(DAY))).to_pylist()


def index_of(root: Path) -> list[Stretch]:
    with Archive(root) as archive:
        (name,) = archive.db.execute("SELECT name FROM indexes").fetchone()
    with IndexFile(root / DAY.isoformat() / name) as index:
        return list(index.ask("ORDER BY round, stretch", ()))


def repaired(root: Path) -> repair.Repaired:
    with ArchiveWriter(root, now=lambda: LONG_AFTER) as archive:
        return archive.repair(DAY)


@pytest.mark.parametrize("how", ["changed", "gone"])
@pytest.mark.parametrize("pattern", DERIVED)
def test_what_was_damaged_is_made_again_as_it_was(archive: Path, pattern: str, how: str) -> None:
    with Archive(archive) as before:
        rows, manifest = all_rows(before), before.manifest(DAY)
    index = index_of(archive)
    for path in archive.glob(f"*/{pattern}"):
        path.unlink() if how == "gone" else path.write_bytes(b"nothing of the kind")
    assert not is_well(archive)
    done = repaired(archive)
    assert (done.events, done.rounds) == (len(rows), 60)
    assert is_well(archive)
    assert index_of(archive) == index
    with Archive(archive) as after:
        assert all_rows(after) == rows
        now = after.manifest(DAY)
        assert {k: now[k] for k in now if k not in {"commit", "files"}} == {
            k: manifest[k] for k in manifest if k not in {"commit", "files"}
        }
        assert find_round(after, "RWS-PP-01-000003").events[-1].type == "SettlementCorrected"


def test_ingest_goes_on_after_a_repair(archive: Path) -> None:
    repaired(archive)
    take(ListLog(listed(play("RWS-PP-03", 3)), identity="file:another"), archive)
    assert is_well(archive)
    with Archive(archive) as after:
        assert after.manifest(DAY)["revision"] == 2
        assert len(find_round(after, "RWS-PP-03-000003").events) == 8


def test_an_open_day_is_repaired_too_and_stays_open(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 5))), tmp_path, now=MORNING)
    for path in tmp_path.glob("*/columns-*"):
        path.unlink()
    with ArchiveWriter(tmp_path, now=lambda: MORNING) as archive:
        assert not archive.repair(DAY).complete
    with Archive(tmp_path) as after:
        assert len(all_rows(after)) == 41
        assert after.days(complete=True) == []


def test_evidence_that_is_not_whole_is_refused_and_nothing_changes(archive: Path) -> None:
    path = sorted(archive.glob("*/evidence-*"))[1]
    path.write_bytes(path.read_bytes()[:-1])
    files = sorted(archive.glob("*/*"))
    with pytest.raises(DamagedError, match="put the file back from a copy first"):
        repaired(archive)
    assert sorted(archive.glob("*/*")) == files
    with Archive(archive) as after:
        assert after.days(complete=True) == [DAY]


def test_who_dies_on_the_way_leaves_the_day_as_it_was(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = index_of(archive)

    def die(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(repair, "add_file", die)
        with pytest.raises(KeyboardInterrupt):
            repaired(archive)
    assert is_well(archive)
    assert index_of(archive) == index
    with ArchiveWriter(archive, now=lambda: LONG_AFTER):
        pass  # sweeps what was begun
    assert len(list(archive.glob("*/columns-*"))) == len(column_names(archive))


def column_names(root: Path) -> list[str]:
    """Column files that count or were replaced not long ago."""
    with Archive(root) as archive:
        sql = "SELECT name FROM columns UNION SELECT name FROM retired WHERE name LIKE 'columns-%'"
        return [name for (name,) in archive.db.execute(sql)]


def test_a_day_that_is_not_there(archive: Path) -> None:
    with ArchiveWriter(archive) as opened, pytest.raises(UnknownDayError, match="no evidence"):
        opened.repair(DAY + timedelta(days=3))


def test_the_command(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    assert evenhand(tmp_path, "repair", "2026-03-10").stderr.strip().endswith("no archive here yet")
    file_log(home, play("RWS-PP-01", 5)).close()
    assert evenhand(tmp_path, "ingest").returncode == 0
    (index,) = home.glob("archive/*/rounds-*")
    index.unlink()
    shown = evenhand(tmp_path, "show", "RWS-PP-01-000003")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "evenhand repair 2026-03-10 makes it again from the evidence" in shown.stderr
    done = evenhand(tmp_path, "repair", "2026-03-10")
    assert done.stdout == (
        "2026-03-10: columns and index made again from the evidence: 41 events, 5 rounds; "
        "evenhand verify --day 2026-03-10 looks it over\n"
    )
    assert evenhand(tmp_path, "verify", "--day", "2026-03-10").returncode == 0
    assert evenhand(tmp_path, "show", "RWS-PP-01-000003").returncode == 0
    assert evenhand(tmp_path, "repair", "yesterday").returncode == 2
