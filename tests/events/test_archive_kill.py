"""Kill -9 at any moment, and a full disk: nothing lost, nothing doubled, and the next run ends it.

The moments come from a seed, which a failure names.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from events.archive.finder import find_round
from events.archive.reader import Archive
from events.archive.verify import verify
from events.gateway import Gateway
from events.log.base import Outgoing
from events.model import SettlementCorrected
from tests.command import ROOT, evenhand
from tests.events.archive_kit import (
    DAY,
    LONG_AFTER,
    MORNING,
    evidence_of,
    file_log,
    mixed,
    play,
)

LATE = SettlementCorrected(1, 1, "P1", "initial", 2500, 2500, 5000, "final", "miscounted")


def the_log() -> list[Outgoing]:
    """Two tables over two days, poison among them, and a late event for the first day."""
    one, two = Gateway("RWS-PP-01"), Gateway("RWS-PP-02")
    tomorrow = MORNING + timedelta(days=1)
    first = mixed(play("RWS-PP-01", 30, gateway=one), play("RWS-PP-02", 30, gateway=two))
    second = mixed(
        play("RWS-PP-01", 30, tomorrow, gateway=one), play("RWS-PP-02", 30, tomorrow, gateway=two)
    )
    late = one.send(LATE, at=tomorrow, device="console", round_="RWS-PP-01-000001")
    poison = [Outgoing(b"RWS-PP-01", b"poison %d" % n) for n in range(5)]
    sent = [*first, *second, late]
    for n, bad in enumerate(poison):
        sent.insert(97 * (n + 1), bad)
    return sent


def start(home: Path, limit: int | None = None) -> subprocess.Popen[str]:
    """An ingest in a process of its own; `limit`: no file may grow past this, as on a full disk."""
    arguments = [str(home), LONG_AFTER.isoformat(), *([str(limit)] if limit else [])]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.events.archive_driver", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill_at(process: subprocess.Popen[str], commits: int, more_s: float) -> bool:
    """Kill after so many commits and a moment more; whether it was still running."""
    assert process.stdout is not None
    for _ in range(commits + 1):
        if not process.stdout.readline():
            break
    time.sleep(more_s)
    running = process.poll() is None
    process.kill()
    process.communicate()
    return running


def check_all_there(home: Path, sent: list[Outgoing], note: str) -> None:
    kept = evidence_of(home / "archive")
    with Archive(home / "archive") as archive:
        bad = list(archive.quarantine())
        places = sorted([m.offset for m in kept] + [q.offset for q in bad])
        assert places == list(range(len(sent))), note
        by_offset = {m.offset: m.value for m in kept} | {q.offset: q.raw for q in bad}
        assert [by_offset[n] for n in range(len(sent))] == [m.value for m in sent], note
        report = verify(archive)
        assert report.is_well, f"{note}: {report.to_json()}"
        assert len(find_round(archive, "RWS-PP-01-000001").events) == 9, note
        for day in archive.days():
            assert archive.manifest(day)["complete"], note
            rows = sum(archive.read_table_day(day, t).num_rows for t in archive.tables_of(day))
            assert rows == sum(1 for m in evidence_of(home / "archive", day)), note


def campaign(home: Path, seed: int, kills: int) -> None:
    """Kill again and again until a run gets to its end, or so often; then let one finish."""
    moments = random.Random(seed)
    sent = the_log()
    file_log(home, sent).close()
    for n in range(kills):
        kill_at(start(home), moments.randrange(4), moments.random() * 0.03)
        if n % 3 == 0 and (home / "archive/journal.sqlite").exists():
            offsets = [m.offset for m in evidence_of(home / "archive")]
            assert len(offsets) == len(set(offsets)), f"seed {seed}, after kill {n + 1}"
    process = start(home)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    check_all_there(home, sent, f"seed {seed}, {kills} kills")


def test_killed_at_ten_moments_nothing_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    campaign(tmp_path, seed=20260310, kills=10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(30))
def test_killed_hundreds_of_times(tmp_path: Path, seed: int) -> None:
    campaign(tmp_path, seed=seed, kills=12)


@pytest.mark.parametrize("limit", [4_000, 9_000, 60_000, 120_000])
def test_a_full_disk_leaves_what_was_committed_and_the_next_run_completes(
    tmp_path: Path, limit: int
) -> None:
    sent = the_log()
    file_log(tmp_path, sent).close()
    process = start(tmp_path, limit)
    _, errors = process.communicate()
    assert process.returncode != 0
    assert "written" in errors or "disk" in errors or "File too large" in errors
    process = start(tmp_path)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    check_all_there(tmp_path, sent, f"limit {limit}")


def test_a_full_disk_is_one_clear_sentence(tmp_path: Path) -> None:
    file_log(tmp_path / ".evenhand", mixed(play("RWS-PP-01", 400), play("RWS-PP-02", 400))).close()
    # no bytecode: Python would leave modules cut short by the limit behind for everybody
    script = (
        "import resource, sys; sys.dont_write_bytecode = True; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); "
        "from pipelines.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "ingest"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "make room and run ingest again" in done.stderr
    assert evenhand(tmp_path, "ingest").returncode == 0
    assert evenhand(tmp_path, "verify").returncode == 0


def test_a_day_folder_is_what_the_kit_says(tmp_path: Path) -> None:
    """The kit's log has both days and all its poison: else the campaign would prove little."""
    sent = the_log()
    file_log(tmp_path, sent).close()
    process = start(tmp_path)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    with Archive(tmp_path / "archive") as archive:
        assert archive.days() == [DAY, DAY + timedelta(days=1)]
        assert len(list(archive.quarantine())) == 5
        files = list((tmp_path / "archive").glob("*/evidence-*.avro"))
    assert len(files) > 2
