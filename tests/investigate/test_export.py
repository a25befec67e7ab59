"""evenhand export: files that check themselves, and a statement for every day."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.command import evenhand
from tests.investigate.conftest import DAY, House
from tests.investigate.here import evenhand_here
from tests.investigate.test_sql import events_of
from tests.pipelines.kit import DAY as PLAYED
from tests.pipelines.kit import played, sent, won_round


def test_a_period_with_two_days_without_activity(audited: House, tmp_path: Path) -> None:
    folder = tmp_path / "november"
    done = evenhand(
        audited.folder, "export", "--from", "2026-11-12", "--to", DAY, "-o", str(folder)
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [d["activity"] for d in manifest["days"]] == [False, False, True]
    said = (folder / "statement.txt").read_text()
    assert "2026-11-12: no activity; the archive holds no event of any table" in said
    named = {f["name"] for f in manifest["files"]}
    assert named == {p.name for p in folder.iterdir()} - {"manifest.json", "manifest.dsse.json"}
    assert named >= {
        f"{t}.{e}" for t in ("rounds", "lines", "findings") for e in ("csv", "parquet")
    }
    for file in manifest["files"]:
        content = (folder / file["name"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["bytes"] == len(content)
    opened = {e.round for e in events_of(audited, "RoundOpened")}
    rounds = pq.read_table(folder / "rounds.parquet").to_pylist()
    assert {r["round"] for r in rounds} == opened
    for table in ("rounds", "lines", "findings"):
        with (folder / f"{table}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == pq.read_metadata(folder / f"{table}.parquet").num_rows
        assert [r["round"] for r in rows] == [
            r["round"] or "" for r in pq.read_table(folder / f"{table}.parquet").to_pylist()
        ]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--from", "2026-11-15", "--to", "2026-11-14"], "is after --to 2026-11-14"),
        (["--from", "14.11.2026", "--to", "2026-11-14"], "expected a date like 2026-11-15"),
        (["--from", "2026-11-14", "--to", "2999-01-01"], "more than ten years at once"),
        (["--from", "2999-01-01", "--to", "2999-01-02"], "is not over yet"),
    ],
)
def test_periods_that_cannot_be_exported(
    audited: House, tmp_path: Path, args: list[str], says: str
) -> None:
    folder = tmp_path / "out"
    done = evenhand_here(audited.folder, "export", *args, "-o", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_day_that_nobody_has_audited_is_not_exported(tmp_path: Path) -> None:
    home = tmp_path / ".evenhand"
    sent(home, played([won_round()]))
    words = ("export", "--from", str(PLAYED), "--to", str(PLAYED), "-o", str(tmp_path / "out"))
    done = evenhand_here(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has not been audited: evenhand nightly" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_left_alone(audited: House, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    done = evenhand_here(audited.folder, "export", "--from", DAY, "--to", DAY, "-o", str(tmp_path))
    assert done.returncode == 2
    assert "expected a folder that is empty or not there yet" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]


def test_without_an_archive_nothing_is_stated(tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "export", "--from", DAY, "--to", DAY, "-o", "out")
    assert done.returncode == 2
    assert "nobody can state that a day had no activity" in done.stderr
