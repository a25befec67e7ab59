"""ingest, verify, quarantine and demo as their user types them."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from events.archive.errors import ArchiveError
from events.archive.reader import Archive
from events.checkpoints import load_checkpoints
from events.log.base import Outgoing
from tests.command import ROOT, evenhand
from tests.events.archive_kit import DAY, file_log, mixed, play
from tests.rights import DROP_ROOT, closed_folder

POISON = Outgoing(b"RWS-PP-01", b"not an event")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A folder with a file log of two tables and one bad message."""
    sent = mixed(play("RWS-PP-01", 10), play("RWS-PP-02", 10))
    file_log(tmp_path / ".evenhand", [*sent[:40], POISON, *sent[40:]]).close()
    return tmp_path


def test_ingest_ends_in_one_line(house: Path) -> None:
    done = evenhand(house, "ingest")
    assert done.returncode == 0
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("162 events, 20 rounds, 1 day, 1 quarantined, ")
    assert line.endswith(" events/s")
    path = house / ".evenhand" / "checkpoints.jsonl"
    written = [(c.table, c.first, c.seq, c.seal) for c in load_checkpoints(path)]
    assert [one[:3] for one in written] == [("RWS-PP-01", 1, 81), ("RWS-PP-02", 1, 81)]
    path.unlink()  # as if it had been killed before it wrote them
    assert evenhand(house, "ingest").stderr == "0 events, 0 rounds, 0 days, 0 quarantined\n"
    assert [(c.table, c.first, c.seq, c.seal) for c in load_checkpoints(path)] == written


def test_quarantine_as_json_and_as_a_table(house: Path) -> None:
    evenhand(house, "ingest")
    done = evenhand(house, "quarantine", "--json")
    (row,) = json.loads(done.stdout)
    assert base64.b64decode(row.pop("raw")) == POISON.value
    assert row.pop("source").startswith("file:")
    assert len(row.pop("sha256")) == 64
    assert row == {
        "partition": 0,
        "offset": 40,
        "key": "RWS-PP-01",
        "table": "RWS-PP-01",
        "round": None,
        "seq": None,
        "day": DAY.isoformat(),
        "kind": "undecodable",
        "reason": "not an Avro single-object message: expected to begin with c301, found 6e6f",
        "size": 12,
    }
    shown = evenhand(house, "quarantine")
    assert row["reason"] in shown.stdout
    assert shown.stdout.endswith("1 in quarantine\n")
    assert json.loads(evenhand(house, "quarantine", "--json", "--day", "2026-01-01").stdout) == []


def test_verify_exit_codes(house: Path) -> None:
    missing = evenhand(house, "verify")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "there is no archive here; evenhand ingest makes one" in missing.stderr

    evenhand(house, "ingest")
    well = evenhand(house, "verify")
    assert well.returncode == 0
    assert "intact  162 events" in well.stdout
    assert well.stdout.endswith("2 of 2 tables have an intact chain\n")

    (path,) = (house / ".evenhand/archive" / DAY.isoformat()).glob("evidence-*")
    path.unlink()
    wrong = evenhand(house, "verify", "--json", "--day", DAY.isoformat())
    assert wrong.returncode == 1
    report = json.loads(wrong.stdout)
    assert report["verdict"] == "wrong"
    assert "missing_file" in report["days"][0]["verdicts"]


def test_verify_against_checkpoints_that_were_kept(house: Path) -> None:
    evenhand(house, "ingest")
    kept = house / "kept.jsonl"
    kept.write_text(evenhand(house, "checkpoints", "--json").stdout)
    assert len(kept.read_text().splitlines()) == 3, (
        "two tables and the quarantine, written at the end of the gaming day"
    )
    assert evenhand(house, "verify", "--checkpoints", str(kept)).returncode == 0
    line = json.loads(kept.read_text().splitlines()[1])
    kept.write_text(json.dumps(line | {"seq": 5000}) + "\n")
    cut = evenhand(house, "verify", "--checkpoints", str(kept))
    assert cut.returncode == 1
    assert "truncated: the chain ends at event 81, but a checkpoint knows event 5000" in cut.stdout


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("verify", "--day", "yesterday"), "day: expected a date like 2026-11-15"),
        (("verify", "--day", "2020-01-01"), "day 2020-01-01: the archive has nothing of it"),
        (("verify", "--checkpoints", "nowhere"), "nowhere: expected a file of checkpoints"),
        (("quarantine", "--day", "1"), "day: expected a date like 2026-11-15"),
        (("ingest", "--from", "tape"), "Invalid value for '--from'"),
    ],
)
def test_bad_input_is_one_clear_sentence(house: Path, args: tuple[str, ...], sentence: str) -> None:
    evenhand(house, "ingest")
    done = evenhand(house, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr


def test_no_log_is_one_clear_sentence(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "ingest")
    assert done.returncode == 2
    assert "expected a file log, found none; evenhand simulate --to file makes one" in done.stderr
    assert not (tmp_path / ".evenhand/archive").exists()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(100)])
def test_a_journal_that_is_none(house: Path, content: bytes) -> None:
    evenhand(house, "ingest")
    for path in (house / ".evenhand/archive").glob("journal.sqlite*"):
        path.unlink()
    (house / ".evenhand/archive/journal.sqlite").write_bytes(content)
    for command in ("ingest", "verify", "quarantine"):
        done = evenhand(house, command)
        assert done.returncode == 2, command
        assert len(done.stderr.splitlines()) == 1
        assert "journal" in done.stderr


AS_NOBODY = f"""
import os
from pipelines.cli.main import cli, main
cli.main(["ingest"], standalone_mode=False)  # as root, so that everything is imported
os.environ["EVENHAND_HOME"] = "closed"
{DROP_ROOT}
main()
"""


def test_a_folder_without_permission() -> None:
    with closed_folder() as folder:
        for name in (".evenhand", "closed"):
            file_log(folder / name, play("RWS-PP-01", 1)).close()
        (folder / "closed").chmod(0o555)
        done = evenhand(folder, "ingest", code=AS_NOBODY)
    assert done.returncode == 2
    assert "can't be written there" in done.stderr.splitlines()[-1]


def test_an_archive_where_a_file_stands_in_the_way(house: Path) -> None:
    (house / ".evenhand/archive").write_text("a file")
    done = evenhand(house, "ingest")
    assert done.returncode == 2
    assert "the archive can't be written there" in done.stderr


def follow(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from pipelines.cli.main import main; main()", "ingest", "--follow"],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_events(folder: Path, events: int) -> None:
    """Until the archive has them; a follower that hangs is ended by the test runner's patience."""
    for _ in range(600):
        try:
            with Archive(folder / ".evenhand/archive") as archive:
                if sum(sum(archive.tables_of(d).values()) for d in archive.days()) >= events:
                    return
        except ArchiveError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{events} events never arrived")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_follow_goes_on_until_a_signal_and_then_ends_well(
    house: Path, number: signal.Signals
) -> None:
    process = follow(house)
    try:
        wait_for_events(house, 162)
        log = file_log(house / ".evenhand", play("RWS-PP-03", 3))
        log.close()
        wait_for_events(house, 187)
        second = evenhand(house, "ingest")
        assert second.returncode == 2
        assert f"process {process.pid} is already taking a log into this archive" in second.stderr
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    ended = json.loads(errors.splitlines()[-1])
    assert ended["event"] == "ingest.ended"
    assert (ended["events"], ended["rounds"], ended["quarantined"]) == (187, 23, 1)
    assert evenhand(house, "verify").returncode == 0


def test_a_damaged_day_without_a_checkpoint_does_not_stop_ingest(house: Path) -> None:
    assert evenhand(house, "ingest").returncode == 0
    (house / ".evenhand" / "checkpoints.jsonl").unlink()
    for columns in (house / ".evenhand" / "archive").glob("*/*.parquet"):
        columns.unlink()
    again = evenhand(house, "ingest")
    assert again.returncode == 0
    says, summary = again.stderr.splitlines()
    assert says.startswith(f"evenhand: day {DAY} has no checkpoint, and none can be written: ")
    assert summary == "0 events, 0 rounds, 0 days, 0 quarantined"
