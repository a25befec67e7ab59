"""`evenhand simulate` as somebody runs it: into the log, again, after a kill, and wrongly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from events.checkpoints import load_checkpoints
from events.codec import decode
from events.devices.resume import peek
from events.log.files.log import FileLog
from tests.command import ROOT, evenhand

DAY = ("--day", "2026-11-14")


def messages(home: Path) -> dict[bytes, list[bytes]]:
    log = FileLog(home / "log")
    out: dict[bytes, list[bytes]] = {}
    for message in log.read({}):
        assert message.key is not None
        out.setdefault(message.key, []).append(message.value)
    log.close()
    return out


def test_rounds_as_json_and_as_a_log_are_the_same(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "5", "--rounds", "4", *DAY, "--seed", "7")
    done = evenhand(tmp_path, *args, "--jsonl", "rounds.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert evenhand(tmp_path, *args).returncode == 0
    sent = messages(tmp_path / ".evenhand")
    lines = (tmp_path / "rounds.jsonl").read_text("utf-8").splitlines()
    by_table: dict[str, list[int]] = {}
    for line in lines:
        flat = json.loads(line)
        by_table.setdefault(flat["table"], []).append(flat["seq"])
    assert by_table == {k.decode(): [decode(v).seq for v in vs] for k, vs in sent.items()}


def test_running_again_writes_nothing_twice(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "3", "--rounds", "5", *DAY)
    evenhand(tmp_path, *args)
    before = messages(tmp_path / ".evenhand")
    again = evenhand(tmp_path, *args)
    assert again.returncode == 0
    assert "0 events written" in again.stderr
    assert messages(tmp_path / ".evenhand") == before


def test_the_next_day_goes_on_from_the_last(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "1", "--rounds", "3")
    evenhand(tmp_path, *args, "--day", "2026-11-13")
    evenhand(tmp_path, *args, "--day", "2026-11-14")
    (sent,) = messages(tmp_path / ".evenhand").values()
    assert [decode(value).seq for value in sent] == list(range(1, len(sent) + 1))


def test_other_rounds_of_the_same_day_are_refused(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "1", "--rounds", "3", *DAY)
    evenhand(tmp_path, *args)
    other = evenhand(tmp_path, *args, "--seed", "5")
    assert other.returncode == 2
    assert other.stderr.startswith("evenhand: table RWS-PP-01: the log already has other rounds")


def test_an_earlier_day_is_refused(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "1", "--rounds", "3")
    evenhand(tmp_path, *args, "--day", "2026-11-14")
    earlier = evenhand(tmp_path, *args, "--day", "2026-11-13")
    assert earlier.returncode == 2
    assert "events of a later day" in earlier.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--rulebook", "whist-v1"), "rulebook: expected one of"),
        (("--day", "yesterday"), "day: expected a date"),
        (("--faults", "7"), "--faults"),
        (("--tables", "0"), "--tables"),
    ],
)
def test_what_can_not_be_is_one_sentence(tmp_path: Path, args: tuple[str, ...], says: str) -> None:
    done = evenhand(tmp_path, "simulate", "--tables", "1", "--rounds", "1", *args)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_truth_file_has_one_object_per_fault(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "5", "--rounds", "30", *DAY, "--faults", "0.3")
    done = evenhand(tmp_path, *args, "--truth", "truth.jsonl", "--coverage")
    truths = [json.loads(x) for x in (tmp_path / "truth.jsonl").read_text("utf-8").splitlines()]
    assert f"{len(truths):,} faults planted" in done.stderr
    assert {"round", "kind", "box", "hand", "player", "bet"} <= set(truths[0])
    assert sum(int(x.split()[1]) for x in done.stdout.splitlines() if " fault " in x) == len(truths)


def test_a_killed_run_is_completed_by_the_same_command(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "10", "--rounds", "400", *DAY, "--processes", "2")
    args += ("--faults", "0.05")
    base = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    killed = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-c", "from pipelines.cli.main import main; main()", *args],
        cwd=tmp_path,
        env=base | {"PYTHONPATH": str(ROOT), "EVENHAND_HOME": str(killed)},
        stderr=subprocess.DEVNULL,
    )
    segment = killed / "log" / f"{0:020d}.avro"
    while process.poll() is None:  # until the first messages are on the disk
        if segment.exists() and segment.stat().st_size > 1_200_000:
            process.send_signal(signal.SIGKILL)
            break
    assert process.wait() == -signal.SIGKILL
    partly = sum(map(len, messages(killed).values()))
    assert evenhand(tmp_path, *args, EVENHAND_HOME=str(killed)).returncode == 0
    assert evenhand(tmp_path, *args, EVENHAND_HOME=str(tmp_path / "whole")).returncode == 0
    whole = messages(tmp_path / "whole")
    assert 0 < partly < sum(map(len, whole.values()))
    assert messages(killed) == whole


def test_a_lost_end_is_known_to_a_checkpoint(tmp_path: Path) -> None:
    args = ("simulate", "--tables", "6", "--rounds", "3", "--faults", "0.3", "--truth", "t.jsonl")
    assert evenhand(tmp_path, *args, "--day", "2026-11-13").returncode == 0
    truths = [json.loads(x) for x in (tmp_path / "t.jsonl").read_text("utf-8").splitlines()]
    lost = {t["table"]: t["seq"] for t in truths if t["kind"] == "truncated"}
    kept = load_checkpoints(tmp_path / ".evenhand" / "checkpoints.jsonl")
    assert lost
    assert {c.table: c.seq for c in kept} == lost
    # the gateway knows its last event, whether or not it arrived, and goes on after it
    assert evenhand(tmp_path, *args, *DAY).returncode == 0
    table, seq = next(iter(lost.items()))
    sent = messages(tmp_path / ".evenhand")[table.encode()]
    numbers = [found[0] for found in map(peek, sent) if found]
    assert seq not in numbers
    assert seq + 1 in numbers
