"""What goes wrong in a command is one sentence about what the caller named, and leaves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from events.runtime.durable import draft_of, write_whole
from tests.command import COMMAND, ROOT
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import DAY, played, sent, won_round


@pytest.mark.parametrize("group", [(), ("users",), ("witness",), ("kafka",)])
def test_a_group_by_itself_prints_its_help_as_it_is(tmp_path: Path, group: tuple[str, ...]) -> None:
    done = evenhand_here(tmp_path, *group)
    assert (done.returncode, done.stdout) == (2, "")
    first, *rest = done.stderr.splitlines()
    assert first.startswith("Usage: ")
    assert "Commands:" in rest


def test_where_there_is_no_archive_nobody_says_that_nothing_is_due(tmp_path: Path) -> None:
    """A home that was named wrongly would else be told to be audited night after night."""
    home = tmp_path / "no" / "home"
    done = evenhand_here(tmp_path, "nightly", "--due", EVENHAND_HOME=str(home))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"evenhand: {home / 'archive'}: there is no archive here; evenhand ingest makes one\n"
    )
    assert not home.exists()


@pytest.mark.parametrize("memory", ["banana", "", "-4GB", "4GB; SELECT 1"])
def test_memory_that_is_no_amount_is_named_as_such(tmp_path: Path, memory: str) -> None:
    done = evenhand_here(tmp_path, "sql", "SELECT 1", "--memory", memory)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        f"evenhand: Invalid value for '--memory': expected an amount such as 4GB or 500MB, "
        f"found {memory!r}"
    )


def test_a_day_before_the_archive_begins(tmp_path: Path) -> None:
    home = tmp_path / "home"
    sent(home, played([won_round()]))
    before = str(DAY - timedelta(days=1))
    done = evenhand_here(tmp_path, "nightly", "--day", before, EVENHAND_HOME=str(home))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"evenhand: day {before}: the archive begins with {DAY}, and has nothing of it\n"
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [("there", "Is a directory"), ("away/page.html", "No such file or directory")],
)
def test_a_file_that_cannot_be_written_is_named_as_it_was_asked_for(
    tmp_path: Path, name: str, says: str
) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match=says) as error:
        write_whole(tmp_path / name, b"content")
    assert error.value.filename == str(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    kept = tmp_path / "answer.csv"
    kept.write_text("as it was")
    with pytest.raises(OSError, match="No space left") as error:
        _written_in_part(kept)
    assert error.value.filename == str(kept)
    assert kept.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["answer.csv"]


def _written_in_part(path: Path) -> None:
    with draft_of(path) as draft:
        draft.write_text("half")
        Path("/dev/full").write_bytes(b"1")  # as write(2) says it: without a name


@pytest.mark.parametrize("args", [("readings",), ("rulebooks", "--json"), ("rulebooks",)])
def test_a_reader_who_hangs_up_gets_no_answer_and_no_traceback(
    tmp_path: Path, args: tuple[str, ...]
) -> None:
    """141, as a shell tells of whom SIGPIPE ended: 0 and 1 are answers of nightly and verify."""
    reads, writes = os.pipe()
    os.close(reads)
    try:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *args],
            cwd=ROOT,
            env=os.environ | {"EVENHAND_HOME": str(tmp_path)},
            stdout=writes,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writes)
    assert (done.returncode, done.stderr) == (141, b"")
